/** Distinct strings of bytes. Row 0 is "". Bytes are hashed, compared and copied by words, and no JavaScript string is made. */
import { newStarts, Words } from './growing.js';
import { HashIndex, K1 } from './hash-index.js';

export interface StringColumns {
  readonly length: number;
  readonly bytes: Uint8Array;
  /** `length + 1` offsets into `bytes`. */
  readonly starts: Int32Array;
  /** Of each string, where they are known. */
  readonly hashes?: Int32Array | undefined;
}

export class StringPool {
  bytes: Uint8Array;
  /** `length + 1` offsets into `bytes`: the last is their end. */
  readonly starts: Words;
  readonly index: HashIndex;

  constructor(bytes: Uint8Array = new Uint8Array(1024), starts = newStarts(), hashes = new Words()) {
    this.bytes = bytes;
    this.starts = starts;
    this.index = new HashIndex(hashes);
    if (this.length === 0) {
      this.starts.push(0);
      hashes.push(hashBytes(viewOf(bytes), 0, 0));
    }
  }

  get length(): number {
    return this.index.length;
  }

  get bytesLength(): number {
    return this.starts.data[this.length]!;
  }

  columns(): StringColumns {
    const { bytes, index, length } = this;
    return { length, bytes, starts: this.starts.view(), hashes: index.hashes.view() };
  }

  /** @returns row of each string */
  add({ length, bytes, starts, hashes }: StringColumns): Int32Array {
    const { index } = this;
    const first = index.length === 1 ? length : 0;
    index.reserve(first);
    this.starts.reserve(first);
    this.#reserveBytes(starts[length]!);
    const rows = new Int32Array(length);
    const from = viewOf(bytes);
    const into = viewOf(this.bytes);
    let next = 0;
    for (let i = 0; i < length; i++) {
      const start = starts[i]!;
      const count = starts[i + 1]! - start;
      // Profiles of one program have much in the same order.
      if (next === index.length || !this.#isAt(next, into, from, start, count)) {
        const hash = hashes === undefined ? hashBytes(from, start, count) : hashes[i]!;
        const slot = this.#find(hash, into, from, start, count);
        next = index.slots[2 * slot]! - 1;
        if (next < 0) {
          next = index.insert(slot, hash);
          const at = this.starts.data[next]!;
          copyBytes(from, start, into, at, count);
          this.starts.push(at + count);
        }
      }
      rows[i] = next++;
    }
    return rows;
  }

  #find(hash: number, into: DataView, from: DataView, start: number, count: number): number {
    const { slots, mask } = this.index;
    let slot = hash & mask;
    for (; slots[2 * slot] !== 0; slot = (slot + 1) & mask) {
      if (slots[2 * slot + 1] === hash && this.#isAt(slots[2 * slot]! - 1, into, from, start, count)) return slot;
    }
    return slot;
  }

  #isAt(row: number, into: DataView, from: DataView, start: number, count: number): boolean {
    const starts = this.starts.data;
    const at = starts[row]!;
    return starts[row + 1]! - at === count && areEqual(into, at, from, start, count);
  }

  /** By bytes: negative when the string of row `a` comes first. */
  compare(a: number, b: number): number {
    const { bytes } = this;
    const starts = this.starts.data;
    const endA = starts[a + 1]!;
    const endB = starts[b + 1]!;
    let i = starts[a]!;
    let j = starts[b]!;
    for (; i < endA && j < endB; i++, j++) if (bytes[i] !== bytes[j]) return bytes[i]! - bytes[j]!;
    return endA - i - (endB - j);
  }

  #reserveBytes(count: number): void {
    const wanted = this.bytesLength + count;
    if (wanted <= this.bytes.length) return;
    const grown = new Uint8Array(Math.max(wanted, this.bytes.length + (this.bytes.length >>> 1)));
    grown.set(this.bytes.subarray(0, this.bytesLength));
    this.bytes = grown;
  }
}

const viewOf = (bytes: Uint8Array) => new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);

/** Strings of four bytes and more end with a word that may overlap the one before: here, and where they are compared and copied. */
function hashBytes(view: DataView, start: number, count: number): number {
  let hash = count;
  if (count < 4) for (let i = 0; i < count; i++) hash = hashWord(hash, view.getUint8(start + i));
  else {
    const last = count - 4;
    for (let i = 0; i < last; i += 4) hash = hashWord(hash, view.getInt32(start + i, true));
    hash = hashWord(hash, view.getInt32(start + last, true));
  }
  return Math.imul(hash ^ (hash >>> 15), 0x85ebca6b) ^ (hash >>> 13);
}

/** Rotated, so that what differs in a word's last byte does not stay in the upper bits, where another could undo it. */
function hashWord(hash: number, word: number): number {
  return Math.imul(((hash << 13) | (hash >>> 19)) ^ word, K1);
}

function areEqual(a: DataView, startA: number, b: DataView, startB: number, count: number): boolean {
  if (count < 4) {
    for (let i = 0; i < count; i++) if (a.getUint8(startA + i) !== b.getUint8(startB + i)) return false;
    return true;
  }
  // The ends first: what has the same beginning is the rule among names.
  const last = count - 4;
  if (a.getInt32(startA + last, true) !== b.getInt32(startB + last, true)) return false;
  for (let i = 0; i < last; i += 4) if (a.getInt32(startA + i, true) !== b.getInt32(startB + i, true)) return false;
  return true;
}

function copyBytes(from: DataView, start: number, into: DataView, at: number, count: number): void {
  if (count < 4) for (let i = 0; i < count; i++) into.setUint8(at + i, from.getUint8(start + i));
  else {
    const last = count - 4;
    for (let i = 0; i < last; i += 4) into.setInt32(at + i, from.getInt32(start + i, true), true);
    into.setInt32(at + last, from.getInt32(start + last, true), true);
  }
}
