/**
 * A merge in progress as bytes, to cross threads: its columns as they are, without a copy, and its header as JSON in front. For
 * the same version of this program only, and little-endian.
 */
import { Words } from './growing.js';
import type { MergeHeader } from './header.js';
import { Inputs } from './inputs.js';
import { ListPool } from './list-pool.js';
import { MergeState } from './state.js';
import { StringPool } from './string-pool.js';
import { Sums } from './values.js';

const poolNames = ['functions', 'mappings', 'locations', 'labelSets', 'samples'] as const;

/** The state is used up: its memory may be transferred with the bytes. */
export function encodeMerge(state: MergeState): readonly Uint8Array[] {
  const { header, strings } = state;
  const json = {
    ...header,
    period: `${header.period}`,
    timeNanos: `${header.timeNanos}`,
    durationNanos: `${header.durationNanos}`,
    comments: [...header.comments],
    patternCounts: [...header.patternCounts],
    turns: [...state.sums.turns],
  };
  const columns = [
    state.inputs.words,
    state.mappingContents,
    state.sums.words,
    state.firsts,
    strings.starts,
    strings.hashes,
    ...poolNames.flatMap((name) => [state[name].words, state[name].starts, state[name].hashes]),
  ];
  return [
    new TextEncoder().encode(JSON.stringify(json)),
    strings.bytes.subarray(0, strings.bytesLength),
    ...columns.map(({ data, length }) => new Uint8Array(data.buffer, data.byteOffset, length * 4)),
  ];
}

/** What `encodeMerge` gave. */
export function decodeMerge(bytes: readonly Uint8Array[]): MergeState {
  const [json, stringBytes, ...rest] = bytes;
  const columns = rest.map(toWords);
  if (json === undefined || stringBytes === undefined || columns.length !== 6 + 3 * poolNames.length) {
    throw new RangeError(`a merge of ${bytes.length} parts`);
  }
  const [inputs, mappingContents, sums, firsts, starts, hashes, ...pools] = columns as Words[];
  const parsed = JSON.parse(new TextDecoder().decode(json));
  const header: MergeHeader = {
    ...parsed,
    period: BigInt(parsed.period),
    timeNanos: BigInt(parsed.timeNanos),
    durationNanos: BigInt(parsed.durationNanos),
    comments: new Set(parsed.comments),
    patternCounts: new Map(parsed.patternCounts),
  };
  const pool = (index: number) => new ListPool(pools[3 * index]!, pools[3 * index + 1]!, pools[3 * index + 2]!);
  return new MergeState({
    header,
    inputs: new Inputs(inputs!),
    mappingContents: mappingContents!,
    sums: new Sums(sums!, new Map(parsed.turns)),
    firsts: firsts!,
    strings: new StringPool(stringBytes, stringBytes.length, starts!, hashes!),
    functions: pool(0),
    mappings: pool(1),
    locations: pool(2),
    labelSets: pool(3),
    samples: pool(4),
  });
}

function toWords(bytes: Uint8Array): Words {
  const aligned = bytes.byteOffset % 4 === 0 ? bytes : bytes.slice();
  const length = aligned.length / 4;
  return new Words(new Uint32Array(aligned.buffer, aligned.byteOffset, length), length);
}
