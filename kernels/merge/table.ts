import { allocate, release } from '../memory';
import { Column } from './column';

const SMALLEST: u64 = 512;

/**
 * What is looked up side by side: a table of many megabytes answers a lookup only after several trips to memory, but many lookups' trips
 * overlap.
 */
export const BLOCK: i32 = 64;

/** Words: the hashes of a block. */
export const blockHashes: usize = memory.data(64 * 4, 8);

/** A word that keeps the reads which only bring memory near from being optimized away. */
const touched: usize = memory.data(4, 4);

/** To be called with what such reads gave. */
export function keepRead(sum: i32): void {
  store<i32>(touched, sum);
}

/**
 * Distinct records, found by a hash of their content: open addressing, linear probing. A record begins with its hash. The tables
 * compare contents in loops of their own:
 *
 *     let slot = table.slotOf(hash);
 *     for (; load<i32>(slot) !== 0; slot = table.nextSlot(slot)) {
 *       if (load<i32>(slot, 4) === hash && <record load<i32>(slot) - 1 is the same>) return load<i32>(slot) - 1;
 *     }
 *     return table.take(slot, hash);
 */
@unmanaged
export class Table extends Column {
  /** Bytes of a record. */
  stride: u32;
  /** Number of records. */
  rows: i32;
  /** Two words a slot: row + 1 (0 is free), and its hash. At most half full; 0 before the first `reserveRows`. */
  slots: usize;
  slotBytes: u32;

  at(row: i32): usize {
    return this.data + u32(row) * this.stride;
  }

  slotOf(hash: i32): usize {
    return this.slots + (u32(hash << 3) & (this.slotBytes - 8));
  }

  nextSlot(slot: usize): usize {
    return this.slots + ((u32(slot - this.slots) + 8) & (this.slotBytes - 8));
  }

  /** The row that a search for a hash looks at first; −1: none, or one of another hash. */
  likelyRow(hash: i32): i32 {
    const slot = this.slotOf(hash);
    return load<i32>(slot, 4) === hash ? load<i32>(slot) - 1 : -1;
  }

  /** Makes room for `count` more, to be called before anything is looked up: then nothing moves until they are there. */
  reserveRows(count: i32): void {
    this.reserve(u32(count) * this.stride);
    if (!this.reserveSlots(this.rows + count)) return;
    for (let row = 0; row < this.rows; row++) this.putSlot(row + 1, load<i32>(this.at(row)));
  }

  /** @param count of records, with those to come @returns whether there were no slots so far, so that those that there are have none */
  reserveSlots(count: i32): boolean {
    const wanted = u64(count) * 16;
    if (wanted <= this.slotBytes) return false;
    let bytes = SMALLEST;
    while (bytes < wanted) bytes *= 2;
    const old = this.slots;
    const oldBytes = this.slotBytes;
    this.slots = allocate(u32(min<u64>(bytes, u32.MAX_VALUE)));
    this.slotBytes = u32(bytes);
    memory.fill(this.slots, 0, this.slotBytes);
    if (oldBytes === 0) return true;
    // In their order they are written nearly in order, too.
    for (let slot = old; slot < old + oldBytes; slot += 8) {
      if (load<i32>(slot) !== 0) this.putSlot(load<i32>(slot), load<i32>(slot, 4));
    }
    release(old, oldBytes);
    return false;
  }

  /** For a record that is in no slot so far. @param first its row + 1 */
  putSlot(first: i32, hash: i32): void {
    let slot = this.slotOf(hash);
    while (load<i32>(slot) !== 0) slot = this.nextSlot(slot);
    store<i32>(slot, first);
    store<i32>(slot, hash, 4);
  }

  /** Reads the records that the first `count` of `blockHashes` lead to, so that they are in the processor's cache when they are needed. */
  bring(count: i32): void {
    const end = blockHashes + 4 * u32(count);
    let sum = 0;
    for (let at = blockHashes; at < end; at += 4) sum ^= load<i32>(this.slotOf(load<i32>(at)));
    for (let at = blockHashes; at < end; at += 4) {
      const row = this.likelyRow(load<i32>(at));
      if (row >= 0) sum ^= load<i32>(this.at(row));
    }
    keepRead(sum);
  }

  /** Reads the rest of these records. @param data where all have their rest @param word of a record that says where there, in bytes */
  bringRest(count: i32, data: usize, word: u32): void {
    const end = blockHashes + 4 * u32(count);
    let sum = 0;
    for (let at = blockHashes; at < end; at += 4) {
      const row = this.likelyRow(load<i32>(at));
      if (row >= 0) sum ^= load<i32>(data + load<u32>(this.at(row) + word));
    }
    keepRead(sum);
  }

  /** Takes a record that was written behind the last one, at the place behind it or further. */
  takeFrom(staged: usize, slot: usize, hash: i32): i32 {
    if (staged !== this.end) memory.copy(this.end, staged, this.stride);
    return this.take(slot, hash);
  }

  /** Takes the record that was written behind the last one. @param slot the free one where the search ended @returns its row */
  take(slot: usize, hash: i32): i32 {
    store<i32>(this.end, hash);
    this.length += this.stride;
    const row = this.rows++;
    store<i32>(slot, row + 1);
    store<i32>(slot, hash, 4);
    return row;
  }
}
