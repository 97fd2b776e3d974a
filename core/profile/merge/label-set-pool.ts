/**
 * Distinct sets of labels. A set's labels are in one order: strings before numbers, each by the key's row in the merge, and the labels
 * of one key in the order that they have, which counts.
 */
import { newStarts, Words } from './growing.js';
import { finishHash, HashIndex, K1, K2, K3, K4, K5, K6 } from './hash-index.js';

export interface LabelColumns {
  /** Offsets into the other columns: set i is `[starts[i], starts[i + 1])`. */
  readonly starts: Int32Array;
  /** String rows. */
  readonly key: Int32Array;
  readonly str: Int32Array;
  /** Two words each. */
  readonly num: Int32Array;
  readonly numUnit: Int32Array;
}

export class LabelSetPool {
  readonly starts: Words;
  readonly key: Words;
  readonly str: Words;
  readonly num: Words;
  readonly numUnit: Words;
  readonly index: HashIndex;

  constructor([starts, key, str, num, numUnit, hashes]: readonly Words[] = []) {
    this.starts = starts ?? newStarts();
    this.key = key ?? new Words();
    this.str = str ?? new Words();
    this.num = num ?? new Words();
    this.numUnit = numUnit ?? new Words();
    this.index = new HashIndex(hashes);
  }

  /** For the constructor. */
  get parts(): readonly Words[] {
    return [this.starts, this.key, this.str, this.num, this.numUnit, this.index.hashes];
  }

  get length(): number {
    return this.index.length;
  }

  columns(): LabelColumns {
    const { starts, key, str, num, numUnit } = this;
    return { starts: starts.data, key: key.data, str: str.data, num: num.data, numUnit: numUnit.data };
  }

  /**
   * @param wanted which sets, not all of which need to differ
   * @param strings the pool's rows of their strings
   * @returns row of each set that is wanted
   */
  add(labels: LabelColumns, wanted: Int32Array, strings: Int32Array): Int32Array {
    const { index } = this;
    const { length } = wanted;
    const first = index.length === 0 ? length : 0;
    index.reserve(first);
    this.starts.reserve(first);
    this.#reserveLabels(labels, wanted);
    const own = this.columns();
    const rows = new Int32Array(length);
    /** Row of the empty set, once it is known. */
    let none = -1;
    for (let i = 0; i < length; i++) {
      const from = labels.starts[wanted[i]!]!;
      const to = labels.starts[wanted[i]! + 1]!;
      if (from === to && none >= 0) {
        rows[i] = none;
        continue;
      }
      // Written where it belongs if it is new, and forgotten if not.
      const start = this.key.length;
      const end = write(labels, from, to, own, start, strings);
      const hash = hashSet(own, start, end);
      const slot = this.#find(own, hash, start, end);
      let row = index.slots[2 * slot]! - 1;
      if (row < 0) {
        row = index.insert(slot, hash);
        this.starts.push(end);
        for (const words of [this.key, this.str, this.numUnit]) words.length = end;
        this.num.length = 2 * end;
      }
      if (from === to) none = row;
      rows[i] = row;
    }
    return rows;
  }

  #find(own: LabelColumns, hash: number, start: number, end: number): number {
    const { slots, mask } = this.index;
    const starts = this.starts.data;
    let slot = hash & mask;
    for (; slots[2 * slot] !== 0; slot = (slot + 1) & mask) {
      if (slots[2 * slot + 1] !== hash) continue;
      const row = slots[2 * slot]! - 1;
      if (areEqual(own, starts[row]!, starts[row + 1]!, start, end)) return slot;
    }
    return slot;
  }

  /** Room for all labels of these sets, as if none was there yet. */
  #reserveLabels({ starts }: LabelColumns, wanted: Int32Array): void {
    let count = 0;
    for (let i = 0; i < wanted.length; i++) count += starts[wanted[i]! + 1]! - starts[wanted[i]!]!;
    for (const words of [this.key, this.str, this.numUnit]) words.reserve(count);
    this.num.reserve(2 * count);
  }
}

/** Writes the set `[from, to)` at `at`, in order. @returns its end */
function write(
  labels: LabelColumns,
  from: number,
  to: number,
  own: LabelColumns,
  at: number,
  strings: Int32Array,
): number {
  let end = at;
  for (let i = from; i < to; i++, end++) {
    own.key[end] = strings[labels.key[i]!]!;
    own.str[end] = strings[labels.str[i]!]!;
    own.num[2 * end] = labels.num[2 * i]!;
    own.num[2 * end + 1] = labels.num[2 * i + 1]!;
    own.numUnit[end] = strings[labels.numUnit[i]!]!;
  }
  sortLabels(own, at, end);
  return end;
}

function hashSet({ key, str, num, numUnit }: LabelColumns, start: number, end: number): number {
  let sum = end - start;
  for (let i = start; i < end; i++) {
    const strings = Math.imul(key[i]!, K2) + Math.imul(str[i]!, K3) + Math.imul(numUnit[i]!, K4);
    const number = Math.imul(num[2 * i]!, K5) + Math.imul(num[2 * i + 1]!, K6);
    sum = (Math.imul(sum, K1) + strings + number) | 0;
  }
  return finishHash(sum);
}

function areEqual(
  { key, str, num, numUnit }: LabelColumns,
  startA: number,
  endA: number,
  startB: number,
  endB: number,
): boolean {
  if (endA - startA !== endB - startB) return false;
  for (let a = startA, b = startB; a < endA; a++, b++) {
    if (key[a] !== key[b] || str[a] !== str[b] || numUnit[a] !== numUnit[b]) return false;
    if (num[2 * a] !== num[2 * b] || num[2 * a + 1] !== num[2 * b + 1]) return false;
  }
  return true;
}

/** Sorts the labels `[start, end)` in place, stable. @param place of a key among the keys, by its row; absent: the row itself */
export function sortLabels(labels: LabelColumns, start: number, end: number, place?: Int32Array): void {
  const { key, str, num, numUnit } = labels;
  for (let i = start + 1; i < end; i++) {
    // Insertion by swaps: a sample has a handful of labels, most often in order.
    for (let at = i; at > start && isBehind(key, str, at - 1, at, place); at--) {
      swap(key, at - 1, at);
      swap(str, at - 1, at);
      swap(num, 2 * at - 2, 2 * at);
      swap(num, 2 * at - 1, 2 * at + 1);
      swap(numUnit, at - 1, at);
    }
  }
}

function isBehind(key: Int32Array, str: Int32Array, a: number, b: number, place: Int32Array | undefined): boolean {
  const isNumberA = str[a] === 0;
  const isNumberB = str[b] === 0;
  if (isNumberA !== isNumberB) return isNumberA;
  return place === undefined ? key[a]! > key[b]! : place[key[a]!]! > place[key[b]!]!;
}

function swap(words: Int32Array, a: number, b: number): void {
  const held = words[a]!;
  words[a] = words[b]!;
  words[b] = held;
}
