/**
 * Distinct strings of bytes, each with a row. Row 0 is "". Unlike StringInterner it takes bytes out of a larger block, makes no
 * JavaScript strings, and keeps the hashes, so that two pools merge without hashing again.
 */
import type { StringTable } from '../profile.js';
import { Words } from './growing.js';
import { insertAll, slotCount } from './slots.js';

export class StringPool {
  bytes: Uint8Array;
  bytesLength: number;
  /** `length + 1` offsets into `bytes`. */
  readonly starts: Words;
  /** Of each row. */
  readonly hashes: Words;
  #slots: Uint32Array | undefined;

  constructor(bytes: Uint8Array = new Uint8Array(1024), bytesLength = 0, starts?: Words, hashes?: Words) {
    this.bytes = bytes;
    this.bytesLength = bytesLength;
    this.starts = starts ?? new Words(new Uint32Array(64), 2);
    this.hashes = hashes ?? new Words(Uint32Array.of(hashBytes(bytes, 0, 0)), 1);
  }

  get length(): number {
    return this.hashes.length;
  }

  /** Row of `source[start, end)`, whose hash is `hash`. */
  row(source: Uint8Array, start: number, end: number, hash: number): number {
    let slots = this.#slots;
    if (slots === undefined || this.length * 2 > slots.length) {
      slots = new Uint32Array(slotCount(this.length));
      insertAll(slots, this.hashes);
      this.#slots = slots;
    }
    const mask = slots.length - 1;
    const hashes = this.hashes.data;
    let at = hash & mask;
    for (; slots[at] !== 0; at = (at + 1) & mask) {
      const row = slots[at]! - 1;
      if (hashes[row] === hash && this.#equal(row, source, start, end)) return row;
    }
    slots[at] = this.length + 1;
    return this.#append(source, start, end, hash);
  }

  #equal(row: number, source: Uint8Array, start: number, end: number): boolean {
    const { bytes } = this;
    const from = this.starts.data[row]!;
    if (this.starts.data[row + 1]! - from !== end - start) return false;
    for (let i = 0; i < end - start; i++) if (bytes[from + i] !== source[start + i]) return false;
    return true;
  }

  #append(source: Uint8Array, start: number, end: number, hash: number): number {
    const row = this.length;
    const at = this.bytesLength;
    const count = end - start;
    if (at + count > this.bytes.length) {
      const grown = new Uint8Array(Math.max(at + count, this.bytes.length + (this.bytes.length >>> 1)));
      grown.set(this.bytes.subarray(0, at));
      this.bytes = grown;
    }
    const { bytes } = this;
    if (count < 40) for (let i = 0; i < count; i++) bytes[at + i] = source[start + i]!;
    else bytes.set(source.subarray(start, end), at);
    this.bytesLength = at + count;
    this.hashes.push(hash);
    this.starts.push(at + count);
    return row;
  }
}

/** Rows in `pool` of all strings of a table. */
export function rowsOfTable(pool: StringPool, table: StringTable): Uint32Array {
  const { bytes, starts, length } = table;
  const rows = new Uint32Array(length);
  for (let i = 0; i < length; i++) {
    const start = starts[i]!;
    const end = starts[i + 1]!;
    rows[i] = pool.row(bytes, start, end, hashBytes(bytes, start, end));
  }
  return rows;
}

/** Rows in `pool` of all strings of another. */
export function rowsOfPool(pool: StringPool, other: StringPool): Uint32Array {
  const { bytes, length } = other;
  const starts = other.starts.data;
  const hashes = other.hashes.data;
  const rows = new Uint32Array(length);
  for (let i = 0; i < length; i++) rows[i] = pool.row(bytes, starts[i]!, starts[i + 1]!, hashes[i]!);
  return rows;
}

function hashBytes(bytes: Uint8Array, start: number, end: number): number {
  let hash = (end - start) | 0;
  let i = start;
  for (; i + 3 < end; i += 4) {
    const word = bytes[i]! | (bytes[i + 1]! << 8) | (bytes[i + 2]! << 16) | (bytes[i + 3]! << 24);
    hash = Math.imul(hash ^ word, 0x9e3779b1);
    hash ^= hash >>> 15;
  }
  for (; i < end; i++) hash = Math.imul(hash ^ bytes[i]!, 0x85ebca6b);
  hash ^= hash >>> 16;
  hash = Math.imul(hash, 0xc2b2ae35);
  return (hash ^ (hash >>> 13)) >>> 0;
}
