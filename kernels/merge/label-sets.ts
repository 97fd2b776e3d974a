/**
 * Distinct sets of labels. A set's labels are in one order: strings before numbers, each by the key's row in the merge, and the labels
 * of one key in the order that they have, which counts.
 */
import { hashOf, mixAll } from './hash';
import { labelSets, labels } from './state';
import { blockHashes } from './table';

/** A record of `labelSets`. */
@unmanaged
export class LabelSet {
  hash: i32;
  /** Bytes into `labels`. */
  first: u32;
  bytes: u32;
}

/** A record of `labels`. */
@unmanaged
export class Label {
  num: i64;
  /** String rows. */
  key: i32;
  str: i32;
  numUnit: i32;
  /** 0, so that labels are compared by words of eight bytes. */
  padding: i32;
}

export const LABEL_BYTES: u32 = offsetof<Label>();

export function labelSetAt(row: i32): LabelSet {
  return changetype<LabelSet>(labelSets.at(row));
}

/** Row of the set of no labels. */
export function internEmptySet(): i32 {
  return intern(labels.end, labels.end, hashLabels(labels.end, labels.end));
}

/**
 * A block of sets, whose labels were written behind those that there are, set behind set, each in any order.
 *
 * @param count of the sets, at most `BLOCK` @param ends words: where each one ends, in bytes of `labels` @param rows gets the row of each
 */
export function internLabelSets(count: i32, ends: usize, rows: usize): void {
  const behind = labels.end;
  for (let i = 0, first = behind; i < count; i++) {
    const end = labels.data + load<u32>(ends + 4 * u32(i));
    sortLabels(first, end, 0);
    store<i32>(blockHashes + 4 * u32(i), hashLabels(first, end));
    first = end;
  }
  labelSets.bring(count);
  labelSets.bringRest(count, labels.data, offsetof<LabelSet>('first'));
  for (let i = 0, first = behind; i < count; i++) {
    const end = labels.data + load<u32>(ends + 4 * u32(i));
    store<i32>(rows + 4 * u32(i), intern(first, end, load<i32>(blockHashes + 4 * u32(i))));
    first = end;
  }
}

/** @param first its labels, in order, which end at `end`: behind all that there are */
function intern(first: usize, end: usize, hash: i32): i32 {
  let slot = labelSets.slotOf(hash);
  for (; load<i32>(slot) !== 0; slot = labelSets.nextSlot(slot)) {
    if (load<i32>(slot, 4) === hash && hasLabels(load<i32>(slot) - 1, first, end)) return load<i32>(slot) - 1;
  }
  const set = changetype<LabelSet>(labelSets.end);
  set.first = labels.length;
  set.bytes = u32(end - first);
  if (first !== labels.end) memory.copy(labels.end, first, set.bytes);
  labels.length += set.bytes;
  return labelSets.take(slot, hash);
}

function hasLabels(row: i32, first: usize, end: usize): boolean {
  const set = labelSetAt(row);
  if (set.bytes !== u32(end - first)) return false;
  const known = labels.data + set.first;
  for (let i: u32 = 0; i < set.bytes; i += 8) if (load<u64>(known + i) !== load<u64>(first + i)) return false;
  return true;
}

function hashLabels(first: usize, end: usize): i32 {
  return hashOf(mixAll(u64(end - first), first, u32(end - first)));
}

/**
 * Sorts the labels in `[first, end)`, stable.
 *
 * @param places words: the place of a key among the keys, by its row; 0: the row itself
 */
export function sortLabels(first: usize, end: usize, places: usize): void {
  for (let next = first + LABEL_BYTES; next < end; next += LABEL_BYTES) {
    // Insertion by swaps: a sample has a handful of labels, most often in order.
    for (let at = next; at > first && isBehind(at - LABEL_BYTES, at, places); at -= LABEL_BYTES) {
      swap(at - LABEL_BYTES, at);
    }
  }
}

function isBehind(a: usize, b: usize, places: usize): boolean {
  const labelA = changetype<Label>(a);
  const labelB = changetype<Label>(b);
  const isNumberA = labelA.str === 0;
  if (isNumberA !== (labelB.str === 0)) return isNumberA;
  return place(labelA.key, places) > place(labelB.key, places);
}

function place(key: i32, places: usize): i32 {
  return places === 0 ? key : load<i32>(places + 4 * u32(key));
}

function swap(a: usize, b: usize): void {
  for (let i: u32 = 0; i < LABEL_BYTES; i += 8) {
    const held = load<u64>(a + i);
    store<u64>(a + i, load<u64>(b + i));
    store<u64>(b + i, held);
  }
}
