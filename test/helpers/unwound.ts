/** A recording of `perf record --call-graph dwarf`, unwound and named sample by sample. */
import { readFileSync } from 'node:fs';
import { SymbolChains } from '../../core/binaries.js';
import { createBinaryStore } from '../../core/binary/file-store.js';
import type { SearchOptions } from '../../core/binary/search.js';
import { NO_ROW, type Profile, stringAt } from '../../core/index.js';
import type { MadeCode } from '../../plugins/codecs/perf/made-code.js';
import { RuntimeNames } from '../../plugins/stages/symbolize/runtime-names.js';
import { symbolize } from '../../plugins/stages/symbolize/symbolize.js';
import { TableCache } from '../../plugins/stages/unwind/binary-tables.js';
import type { Ending } from '../../plugins/stages/unwind/ending.js';
import { unwind } from '../../plugins/stages/unwind/unwind.js';
import { decodePerf } from './perf-decode.js';

export interface UnwoundFrame {
  /** Into the file; of code without one the runtime address. */
  readonly address: number;
  readonly file: string;
  /** Of the function that has the code, not of those inlined there, without what the compiler appends; "" for none. */
  readonly name: string;
}

export interface UnwoundSample {
  readonly tid: number;
  /** Undefined for one of which nothing was captured. */
  readonly ending: Ending | undefined;
  /** Of user space, leaf first. */
  readonly frames: readonly UnwoundFrame[];
}

/**
 * Samples in order of time.
 * @param search where binaries are that are not where they were recorded @param made code that programs made while they ran
 */
export async function unwoundSamples(
  path: string,
  search: SearchOptions = {},
  made?: MadeCode,
): Promise<UnwoundSample[]> {
  const { parts } = await decodePerf(readFileSync(path), { labels: ['tid'], kernel: false }, {}, undefined, made);
  const binaries = createBinaryStore({});
  binaries.search(search);
  const cache = new TableCache();
  const sources = { binaries, chains: new SymbolChains('simple'), runtimeNames: new RuntimeNames(undefined, []) };
  const samples = parts.flatMap((part) => {
    const { profile, endings } = unwind(part, binaries, cache, { depth: 2048, truncated: false, audit: false });
    const named = symbolize(profile, sources, false).profile;
    return endings.map((ending, sample) => sampleOf(named, sample, ending));
  });
  binaries.close();
  return samples;
}

function sampleOf(profile: Profile, sample: number, ending: Ending | undefined): UnwoundSample {
  const { samples } = profile;
  const rows = samples.stackLocations.subarray(samples.stackStart[sample]!, samples.stackStart[sample + 1]!);
  const tid = Number(samples.labels.num[samples.labelStart[sample]!]);
  return { tid, ending, frames: Array.from(rows, (row) => frameOf(profile, row)) };
}

/** What compilers append to the names of a function's parts and copies. */
const CLONE = /\.(isra|constprop|part|cold|llvm).*$/;

function frameOf({ locations, mappings, functions, strings }: Profile, row: number): UnwoundFrame {
  const mapping = locations.mapping[row]!;
  const address = locations.address[row]!;
  const end = locations.lineStart[row + 1]!;
  const isNamed = end > locations.lineStart[row]!;
  const name = isNamed ? stringAt(strings, functions.name[locations.lines.function[end - 1]!]!) : '';
  if (mapping === NO_ROW) return { address: Number(address), file: '', name };
  const intoFile = address - mappings.memoryStart[mapping]! + mappings.fileOffset[mapping]!;
  const file = stringAt(strings, mappings.filename[mapping]!);
  return { address: Number(intoFile), file, name: name.replace(CLONE, '') };
}
