/**
 * A merge in progress as bytes, to cross threads: its tables as they are, and its header as JSON in front. For the same version of
 * this program only, and little-endian.
 */
import type { MergeHeader } from './header.js';
import { MergeState } from './state.js';

/** The state is used up. Each piece begins a buffer, which may be transferred. */
export function encodeMerge(state: MergeState): readonly Uint8Array[] {
  const { header } = state;
  const { columns, turns } = state.rest();
  const json = {
    ...header,
    period: `${header.period}`,
    timeNanos: `${header.timeNanos}`,
    durationNanos: `${header.durationNanos}`,
    comments: [...header.comments],
    patternCounts: [...header.patternCounts],
    turns: [...turns],
  };
  return [new TextEncoder().encode(JSON.stringify(json)), ...columns];
}

/** @param bytes what `encodeMerge` gave: they are empty once the merge is used up */
export function decodeMerge(bytes: readonly Uint8Array[]): MergeState {
  const [json, ...columns] = bytes;
  if (json === undefined) throw new RangeError('a merge of no parts');
  const { turns, ...parsed } = JSON.parse(new TextDecoder().decode(json));
  const header: MergeHeader = {
    ...parsed,
    period: BigInt(parsed.period),
    timeNanos: BigInt(parsed.timeNanos),
    durationNanos: BigInt(parsed.durationNanos),
    comments: new Set(parsed.comments),
    patternCounts: new Map(parsed.patternCounts),
  };
  return new MergeState(header, { columns, turns: new Map(turns) });
}
