/** What an aggregate has so far: a merge for each group, or several where sample types differ and may. */
import { combineMerges, decodeMerge, encodeMerge, type PlacedMerge } from '../../../core/index.js';
import type { GroupFields } from './groups.js';

export interface GroupPartial {
  readonly fields: GroupFields;
  /** Of its window: milliseconds since 1970. */
  readonly endMs: number | undefined;
  /** By list of sample types; one entry where they must agree. */
  readonly merges: Map<string, PlacedMerge>;
  readonly time: GroupTime;
}

/** In nanoseconds; 0 where no profile has a time. */
export interface GroupTime {
  longest: bigint;
  start: bigint;
  end: bigint;
}

/** By `groupKey`. */
export type AggregatePartial = Map<string, GroupPartial>;

export const groupKey = (fields: GroupFields): string => JSON.stringify(Object.entries(fields));

export function newGroup(fields: GroupFields, endMs?: number): GroupPartial {
  return { fields, endMs, merges: new Map(), time: { longest: 0n, start: 0n, end: 0n } };
}

/** Times of a profile, or of another part of the group. */
export function addTime(time: GroupTime, other: Readonly<GroupTime>): void {
  if (other.longest > time.longest) time.longest = other.longest;
  if (other.start !== 0n && (time.start === 0n || other.start < time.start)) time.start = other.start;
  if (other.end > time.end) time.end = other.end;
}

/** @param check whether the merges of a group go together; throws before anything is merged */
export function mergePartials(
  into: AggregatePartial,
  from: AggregatePartial,
  check: (a: GroupPartial, b: GroupPartial) => void,
): AggregatePartial {
  for (const [key, group] of from) {
    const known = into.get(key);
    if (known !== undefined) check(known, group);
  }
  for (const [key, group] of from) {
    const known = into.get(key);
    if (known === undefined) into.set(key, group);
    else {
      addTime(known.time, group.time);
      for (const [types, placed] of group.merges) {
        const other = known.merges.get(types);
        known.merges.set(types, other === undefined ? placed : combinePlaced(other, placed));
      }
      restIfMany(into, known);
    }
  }
  return into;
}

function combinePlaced(a: PlacedMerge, b: PlacedMerge): PlacedMerge {
  return { merge: combineMerges(a.merge, b.merge), first: smaller(a.first, b.first) };
}

/** Groups of windows that ended until then, and of those of no window, as a partial of their own; the others stay. */
export function takeEnded(partial: AggregatePartial, untilMs: number): AggregatePartial {
  const ended: AggregatePartial = new Map();
  for (const [key, group] of partial) {
    if (group.endMs !== undefined && group.endMs > untilMs) continue;
    ended.set(key, group);
    partial.delete(key);
  }
  return ended;
}

/** Merges that may keep their tables in a kernel's memory, which never shrinks, between one profile and the next. */
const MAX_AT_WORK = 16;

/** Brings a group's tables to rest, as bytes of their own, where there are too many groups to keep all at work. */
export function restIfMany(partial: AggregatePartial, group: GroupPartial): void {
  if (partial.size <= MAX_AT_WORK) return;
  for (const { merge } of group.merges.values()) merge.rest();
}

/** The first piece says, as JSON, which of the others belong to what. */
export function encodePartial(partial: AggregatePartial): readonly Uint8Array[] {
  const pieces: Uint8Array[] = [];
  const groups = Array.from(partial.values(), ({ fields, endMs, merges, time }) => ({
    fields: Object.entries(fields),
    endMs,
    time: [time.longest, time.start, time.end].map(String),
    merges: Array.from(merges, ([types, { merge, first }]) => {
      const encoded = encodeMerge(merge);
      pieces.push(...encoded);
      return { types, first, pieces: encoded.length };
    }),
  }));
  return [new TextEncoder().encode(JSON.stringify(groups)), ...pieces];
}

/** Of a group beside its merges, about. */
const GROUP_BYTES = 512;

/** See `Aggregate.sizeOf`. */
export function sizeOfPartial(partial: AggregatePartial): number {
  let bytes = 0;
  for (const { merges } of partial.values()) {
    bytes += GROUP_BYTES;
    for (const { merge } of merges.values()) bytes += merge.byteLength;
  }
  return bytes;
}

interface EncodedGroup {
  readonly fields: readonly (readonly [string, string])[];
  readonly endMs?: number;
  readonly time: readonly [string, string, string];
  readonly merges: readonly { readonly types: string; readonly first: string; readonly pieces: number }[];
}

/** What `encodePartial` gave. */
export function decodePartial([directory, ...pieces]: readonly Uint8Array[]): AggregatePartial {
  const groups = JSON.parse(new TextDecoder().decode(directory)) as readonly EncodedGroup[];
  let at = 0;
  return new Map(
    groups.map(({ fields: entries, endMs, time, merges }) => {
      const fields = Object.fromEntries(entries);
      const [longest, start, end] = time.map(BigInt) as [bigint, bigint, bigint];
      const decoded = merges.map(({ types, first, pieces: count }) => {
        const merge = decodeMerge(pieces.slice(at, at + count));
        at += count;
        return [types, { merge, first }] as const;
      });
      return [groupKey(fields), { fields, endMs, merges: new Map(decoded), time: { longest, start, end } }];
    }),
  );
}

const smaller = (a: string, b: string): string => (b < a ? b : a);
