/** The open-addressing tables of merging: a slot holds row + 1, 0 is free; linear probing; at most half full. */
import type { Words } from './growing.js';

/** Number of slots for a table of `rows` rows that is going to grow. */
export function slotCount(rows: number): number {
  let count = 64;
  while (count < rows * 4) count *= 2;
  return count;
}

/** Puts all rows into empty slots: they are known to differ. */
export function insertAll(slots: Uint32Array, hashes: Words): void {
  const mask = slots.length - 1;
  const { data, length } = hashes;
  for (let row = 0; row < length; row++) {
    let at = data[row]! & mask;
    while (slots[at] !== 0) at = (at + 1) & mask;
    slots[at] = row + 1;
  }
}
