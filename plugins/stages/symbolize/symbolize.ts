/** Lines for the locations of a profile, from the binaries behind its mappings. */
import type { SymbolChains } from '../../../core/binaries.js';
import {
  type BinaryStore,
  type Lookup,
  type MappedBinary,
  MappingFlag,
  NO_ROW,
  type Profile,
  ProfileEditor,
  type SymbolChain,
  type SymbolFrame,
  stringAt,
} from '../../../core/index.js';
import { sampleCoverage } from './coverage.js';
import { type MappingReport, makeReport, type SymbolizeReport } from './report.js';
import type { RuntimeNames } from './runtime-names.js';

/** Locations whose symbols are looked up in order of address before they get their lines. */
const BATCH_LOCATIONS = 1 << 15;
const ALL_FLAGS =
  MappingFlag.hasFunctions | MappingFlag.hasFilenames | MappingFlag.hasLineNumbers | MappingFlag.hasInlineFrames;

export interface Symbolized {
  readonly profile: Profile;
  readonly report: SymbolizeReport;
  /** What a person should know, each once. */
  readonly warnings: readonly { readonly code: string; readonly message: string }[];
}

/** What is known of one mapping row while its locations are worked on. */
interface MappingWork {
  readonly mapped: MappedBinary;
  readonly chain: SymbolChain | undefined;
  readonly sources: Set<string>;
  readonly reasons: Map<string, number>;
  locations: number;
  kept: number;
  symbolized: number;
}

/** Rows of the mappings that binaries are needed for, each once. @param force whether lines that are there already are replaced */
export function* mappingsWithoutLines({ locations }: Profile, force: boolean): Generator<number> {
  const given = new Set<number>();
  for (let row = 0; row < locations.length; row++) {
    const mapping = locations.mapping[row]!;
    if ((!force && locations.lineStart[row] !== locations.lineStart[row + 1]) || given.has(mapping)) continue;
    given.add(mapping);
    yield mapping;
  }
}

export interface Sources {
  readonly binaries: BinaryStore;
  /** Symbols of the binaries, kept over profiles. */
  readonly chains: SymbolChains;
  readonly runtimeNames: RuntimeNames;
}

/** @param force whether lines that are there already are replaced */
export function symbolize(profile: Profile, { binaries, chains, runtimeNames }: Sources, force: boolean): Symbolized {
  const editor = new ProfileEditor(profile);
  const works = new Map<number, MappingWork>();
  const warnings = new Map<string, string>();
  const { locations } = profile;
  const workOf = (row: number): MappingWork => {
    const mappingRow = locations.mapping[row]!;
    let work = works.get(mappingRow);
    if (work === undefined) {
      work = startWork(binaries.forMapping(profile, mappingRow), chains);
      works.set(mappingRow, work);
    }
    return work;
  };

  for (let row = 0; row < locations.length; row++) {
    if (row % BATCH_LOCATIONS === 0) lookUpAhead(profile, row, force, workOf);
    const work = workOf(row);
    work.locations++;
    const hasLines = locations.lineStart[row]! < locations.lineStart[row + 1]!;
    if (hasLines && !force) {
      work.kept++;
      continue;
    }
    const found = lookup(work, locations.address[row]!, runtimeNames);
    if (found.frames !== undefined) {
      editor.setLines(row, linesOf(found.frames, editor));
      work.symbolized++;
      work.sources.add(found.source);
    } else if (hasLines) {
      work.kept++;
    } else {
      work.reasons.set(found.reason, (work.reasons.get(found.reason) ?? 0) + 1);
      const message = explain(work.mapped, found);
      if (message !== undefined) warnings.set(message, found.reason);
    }
  }

  for (const [mappingRow, work] of works) {
    const { binary, passedOver } = work.mapped;
    for (const message of binary?.refusals ?? []) warnings.set(message, 'debug_file_refused');
    if (passedOver !== undefined) warnings.set(passedOver, 'binary_passed_over');
    for (const fault of work.chain?.faults ?? []) warnings.set(`${binary?.path}: ${fault}`, 'spoilt_debug_info');
    const isComplete = mappingRow !== NO_ROW && work.symbolized === work.locations;
    if (isComplete) editor.setMappingFlags(mappingRow, profile.mappings.flags[mappingRow]! | ALL_FLAGS);
  }
  const symbolized = editor.finish();
  return {
    profile: symbolized,
    report: makeReport(
      [...works].map(([mappingRow, work]) => mappingReport(profile, mappingRow, work)),
      [sampleCoverage(symbolized)],
    ),
    warnings: Array.from(warnings, ([message, code]) => ({ code, message })),
  };
}

function startWork(mapped: MappedBinary, chains: SymbolChains): MappingWork {
  const chain = mapped.binary && chains.of(mapped.binary);
  return { mapped, chain, sources: new Set(), reasons: new Map(), locations: 0, kept: 0, symbolized: 0 };
}

/** The next locations' symbols, in order of address, for `lookup` to find them kept. */
function lookUpAhead(
  { locations }: Profile,
  first: number,
  force: boolean,
  workOf: (row: number) => MappingWork,
): void {
  const addresses = new Map<SymbolChain, number[]>();
  const behind = Math.min(first + BATCH_LOCATIONS, locations.length);
  for (let row = first; row < behind; row++) {
    if (!force && locations.lineStart[row]! < locations.lineStart[row + 1]!) continue;
    const { mapped, chain } = workOf(row);
    const objectAddress = mapped.binary && mapped.toObjectAddress(locations.address[row]!);
    if (objectAddress === undefined) continue;
    const ofChain = addresses.get(chain!);
    if (ofChain === undefined) addresses.set(chain!, [objectAddress]);
    else ofChain.push(objectAddress);
  }
  for (const [chain, ofChain] of addresses) chain.keepAll(Float64Array.from(ofChain));
}

/** A profile holds the pc itself for a leaf and the call's pc for a caller: both are looked up as they are. */
function lookup({ mapped, chain }: MappingWork, address: bigint, runtimeNames: RuntimeNames): Lookup {
  if (runtimeNames.isKernel(address)) return runtimeNames.ofKernel(address);
  if (mapped.binary === undefined) {
    return runtimeNames.ofProcess(address) ?? { frames: undefined, reason: mapped.reason };
  }
  const objectAddress = mapped.toObjectAddress(address);
  if (objectAddress === undefined) return { frames: undefined, reason: 'outside_binary' };
  return chain!.lookupKept(objectAddress);
}

function linesOf(frames: readonly SymbolFrame[], editor: ProfileEditor): { function: number; line: number }[] {
  return frames.map(({ function: name, systemName, file, line, startLine }) => ({
    function: editor.function({ name, systemName, filename: file, startLine }),
    line,
  }));
}

/** A missing binary is the usual case for libraries, and is counted only; what was refused or is spoilt is said. */
function explain(mapped: MappedBinary, found: Lookup): string | undefined {
  if (mapped.binary === undefined) return mapped.reason === 'no_binary' ? undefined : mapped.message;
  if (found.frames !== undefined || found.error === undefined) return undefined;
  return `${mapped.binary.path}: ${found.error.describe()}`;
}

function mappingReport(profile: Profile, mappingRow: number, work: MappingWork): MappingReport {
  const { strings, mappings } = profile;
  const text = (column: Uint32Array) => (mappingRow === NO_ROW ? '' : stringAt(strings, column[mappingRow]!));
  return {
    file: text(mappings.filename),
    buildId: text(mappings.buildId),
    sources: [...work.sources].sort(),
    gives: [...new Set([...work.sources].flatMap((source) => work.chain?.gives(source) ?? []))].sort(),
    locations: work.locations,
    kept: work.kept,
    symbolized: work.symbolized,
    reasons: Object.fromEntries([...work.reasons].sort(([x], [y]) => (x < y ? -1 : 1))),
  };
}
