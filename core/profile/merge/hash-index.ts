/**
 * Finds the rows of a table by a hash of their content: open addressing, linear probing. The table itself compares contents, in a
 * loop of its own, since that is the hottest of merging:
 *
 *     let slot = hash & index.mask;
 *     while (slots[2 * slot] !== 0 && !(slots[2 * slot + 1] === hash && <row slots[2 * slot] - 1 is the same>)) {
 *       slot = (slot + 1) & index.mask;
 *     }
 */
import { Words } from './growing.js';

export class HashIndex {
  /** Of each row. */
  readonly hashes: Words;
  /**
   * Two words a slot: row + 1 (0 is free) and its hash. At most half full. Another array after `insert` or `reserve`; none before
   * the first `reserve`, since half of the tables that come from other threads are only read.
   */
  slots: Int32Array = new Int32Array(0);

  constructor(hashes = new Words()) {
    this.hashes = hashes;
  }

  /** Number of rows. */
  get length(): number {
    return this.hashes.length;
  }

  get mask(): number {
    return (this.slots.length >>> 1) - 1;
  }

  /** Makes room for `count` more rows; to be called before anything is looked up. */
  reserve(count: number): void {
    this.hashes.reserve(count);
    const wanted = 4 * (this.length + count);
    if (this.slots.length === 0 || wanted > this.slots.length) this.slots = this.#filled(this.length + count);
  }

  /** @param slot the free one where the search ended @returns the new row */
  insert(slot: number, hash: number): number {
    const row = this.hashes.length;
    this.hashes.push(hash);
    this.slots[2 * slot] = row + 1;
    this.slots[2 * slot + 1] = hash;
    if (4 * (row + 1) > this.slots.length) this.slots = this.#filled(2 * row);
    return row;
  }

  /** Slots for `count` rows, with those that there are. */
  #filled(count: number): Int32Array {
    let slotCount = 64;
    while (slotCount < 2 * count) slotCount *= 2;
    const slots = new Int32Array(2 * slotCount);
    const mask = slotCount - 1;
    const { data, length } = this.hashes;
    for (let row = 0; row < length; row++) {
      const hash = data[row]!;
      let slot = hash & mask;
      while (slots[2 * slot] !== 0) slot = (slot + 1) & mask;
      slots[2 * slot] = row + 1;
      slots[2 * slot + 1] = hash;
    }
    return slots;
  }
}

/** Odd multipliers. A hash of words is the sum of their products: products do not wait for each other, as a running hash's do. */
export const K1 = 0x9e3779b1 | 0;
export const K2 = Math.imul(K1, K1);
export const K3 = Math.imul(K2, K1);
export const K4 = Math.imul(K3, K1);
export const K5 = Math.imul(K4, K1);
export const K6 = Math.imul(K5, K1);

/** Spreads what differs in a sum of products over all bits: indexes take the low ones. */
export function finishHash(sum: number): number {
  const mixed = Math.imul(sum ^ (sum >>> 16), 0x85ebca6b);
  return Math.imul(mixed ^ (mixed >>> 13), 0xc2b2ae35) ^ (mixed >>> 16);
}
