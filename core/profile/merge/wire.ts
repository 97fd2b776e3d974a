/**
 * A merge in progress as bytes, to cross threads: its columns as they are, without a copy, and its header as JSON in front. For
 * the same version of this program only, and little-endian.
 */
import { FunctionPool } from './function-pool.js';
import { Words } from './growing.js';
import type { MergeHeader } from './header.js';
import { Inputs } from './inputs.js';
import { LabelSetPool } from './label-set-pool.js';
import { LocationPool } from './location-pool.js';
import { MappingPool } from './mapping-pool.js';
import { SamplePool } from './sample-pool.js';
import { MergeState } from './state.js';
import { StringPool } from './string-pool.js';

/** The state is used up: its memory may be transferred with the bytes. Each piece begins a buffer, with room to grow behind it. */
export function encodeMerge(state: MergeState): readonly Uint8Array[] {
  const { header, strings } = state;
  const json = {
    ...header,
    period: `${header.period}`,
    timeNanos: `${header.timeNanos}`,
    durationNanos: `${header.durationNanos}`,
    comments: [...header.comments],
    patternCounts: [...header.patternCounts],
    turns: [...state.samples.sums.turns],
  };
  return [
    new TextEncoder().encode(JSON.stringify(json)),
    strings.bytes.subarray(0, strings.bytesLength),
    ...columnsOf(state).map(({ data, length }) => new Uint8Array(data.buffer, data.byteOffset, length * 4)),
  ];
}

function columnsOf(state: MergeState): readonly Words[] {
  return [
    state.inputs.words,
    state.mappings.contents,
    state.strings.starts,
    state.strings.index.hashes,
    ...state.functions.parts,
    ...state.locations.parts,
    ...state.labelSets.parts,
    ...state.samples.parts,
  ];
}

/** What `encodeMerge` gave. */
export function decodeMerge(bytes: readonly Uint8Array[]): MergeState {
  const [json, stringBytes, ...rest] = bytes;
  if (json === undefined || stringBytes === undefined || rest.length !== columnsOf(new MergeState()).length) {
    throw new RangeError(`a merge of ${bytes.length} parts`);
  }
  const columns = rest.map(toWords);
  const take = (count: number) => columns.splice(0, count);
  const parsed = JSON.parse(new TextDecoder().decode(json));
  const header: MergeHeader = {
    ...parsed,
    period: BigInt(parsed.period),
    timeNanos: BigInt(parsed.timeNanos),
    durationNanos: BigInt(parsed.durationNanos),
    comments: new Set(parsed.comments),
    patternCounts: new Map(parsed.patternCounts),
  };
  const [inputs, mappings, starts, hashes] = take(4);
  return new MergeState({
    header,
    inputs: new Inputs(inputs),
    mappings: new MappingPool(mappings),
    strings: new StringPool(new Uint8Array(stringBytes.buffer, stringBytes.byteOffset), starts, hashes),
    functions: new FunctionPool(take(5)),
    locations: new LocationPool(take(8)),
    labelSets: new LabelSetPool(take(6)),
    samples: new SamplePool(take(6), new Map(parsed.turns)),
  });
}

/** With the memory behind it as room to grow, if it has its buffer for itself. */
function toWords(bytes: Uint8Array): Words {
  const { buffer, byteOffset, byteLength } = bytes.byteOffset % 4 === 0 ? bytes : bytes.slice();
  const words = Math.floor((buffer.byteLength - byteOffset) / 4);
  return new Words(new Int32Array(buffer, byteOffset, words), byteLength / 4);
}
