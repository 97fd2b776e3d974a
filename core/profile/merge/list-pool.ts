/**
 * Distinct lists of 32-bit words, each with a row: samples, sets of labels, and rows of fixed width (functions, locations …) alike.
 * Hashed and compared as integers; samples are the hottest of them, so they are looked up in blocks (`bring`, `rowOf`).
 */
import { Words } from './growing.js';
import { slotCount } from './slots.js';

/** Odd multipliers, one for each place in a list: the products do not wait for each other, as those of a running hash would. */
const multipliers = Uint32Array.from({ length: 4096 }, (_, place) => Math.imul(place + 1, 0x9e3779b1) | 1);

/** Hash of the list `source[from, to)`. */
export function hashOf(source: Uint32Array, from: number, to: number): number {
  let hash = to - from;
  for (let i = from; i < to; i++) hash = hashWord(hash, source[i]!, i - from);
  return finishHash(hash);
}

/** One word more of a hash that begins as the list's length. @param place the word's index in the list */
export function hashWord(hash: number, word: number, place: number): number {
  return (hash + Math.imul(word + 0x7f4a7c15, multipliers[place & 4095]!)) | 0;
}

export function finishHash(hash: number): number {
  let mixed = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2ae35);
  return (mixed ^ (mixed >>> 16)) >>> 0;
}

export class ListPool {
  readonly words: Words;
  /** `length + 1` offsets into `words`. */
  readonly starts: Words;
  /** Of each row. */
  readonly hashes: Words;
  /** Open addressing, two words a slot: row + 1 (0 is free) and its hash. At most half full. */
  #slots: Uint32Array | undefined;

  constructor(words = new Words(), starts = new Words(new Uint32Array(64), 1), hashes = new Words()) {
    this.words = words;
    this.starts = starts;
    this.hashes = hashes;
  }

  get length(): number {
    return this.hashes.length;
  }

  /** Row of the list `source[0, count)`; a new one is `length − 1` afterwards. */
  row(source: Uint32Array, count: number): number {
    return this.rowOf(source, 0, count, hashOf(source, 0, count));
  }

  /** Row of the list `source[from, to)`, whose hash is known; a new one is `length − 1` afterwards. */
  rowOf(source: Uint32Array, from: number, to: number, hash: number): number {
    const slots = this.#room();
    const mask = (slots.length >>> 1) - 1;
    const starts = this.starts.data;
    const words = this.words.data;
    const count = to - from;
    let at = hash & mask;
    for (; slots[2 * at] !== 0; at = (at + 1) & mask) {
      if (slots[2 * at + 1] !== hash) continue;
      const row = slots[2 * at]! - 1;
      const start = starts[row]!;
      if (starts[row + 1]! - start !== count) continue;
      let i = 0;
      while (i < count && words[start + i] === source[from + i]) i++;
      if (i === count) return row;
    }
    slots[2 * at] = this.length + 1;
    slots[2 * at + 1] = hash;
    return this.#append(source, from, to, hash);
  }

  /**
   * Brings the memory into the processor's cache that `rowOf` is going to read for lists with these hashes: a table of many
   * megabytes answers a lookup only after several trips to memory, but many lookups' trips go side by side.
   */
  bring(hashes: Uint32Array, count: number): number {
    const slots = this.#room();
    const mask = (slots.length >>> 1) - 1;
    const starts = this.starts.data;
    const words = this.words.data;
    let touched = 0;
    for (let i = 0; i < count; i++) touched ^= slots[2 * (hashes[i]! & mask)]!;
    for (let i = 0; i < count; i++) touched ^= starts[slots[2 * (hashes[i]! & mask)]!]!;
    for (let i = 0; i < count; i++) {
      // Row + 1 of `starts` is where the row's list ends. Long lists take more than one line of the cache.
      const end = starts[slots[2 * (hashes[i]! & mask)]!]!;
      touched ^= end > 16 ? words[end - 1]! ^ words[end - 17]! : 0;
    }
    return touched;
  }

  #room(): Uint32Array {
    if (this.#slots !== undefined && this.length * 4 <= this.#slots.length) return this.#slots;
    const slots = new Uint32Array(2 * slotCount(this.length));
    const mask = (slots.length >>> 1) - 1;
    const { data, length } = this.hashes;
    for (let row = 0; row < length; row++) {
      let at = data[row]! & mask;
      while (slots[2 * at] !== 0) at = (at + 1) & mask;
      slots[2 * at] = row + 1;
      slots[2 * at + 1] = data[row]!;
    }
    this.#slots = slots;
    return slots;
  }

  #append(source: Uint32Array, from: number, to: number, hash: number): number {
    const row = this.length;
    const count = to - from;
    this.words.reserve(count);
    const { data, length } = this.words;
    for (let i = 0; i < count; i++) data[length + i] = source[from + i]!;
    this.words.length = length + count;
    this.starts.push(length + count);
    this.hashes.push(hash);
    return row;
  }
}
