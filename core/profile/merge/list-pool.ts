/**
 * Distinct lists of 32-bit words, each with a row: stacks, sets of labels, and rows of fixed width (functions, locations …) alike.
 * Hashed and compared as integers; stacks are the hottest of them.
 */
import { Words } from './growing.js';
import { insertAll, slotCount } from './slots.js';

export class ListPool {
  readonly words: Words;
  /** `length + 1` offsets into `words`. */
  readonly starts: Words;
  /** Of each row. */
  readonly hashes: Words;
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
    let slots = this.#slots;
    if (slots === undefined || this.length * 2 > slots.length) {
      slots = new Uint32Array(slotCount(this.length));
      insertAll(slots, this.hashes);
      this.#slots = slots;
    }
    let hash = count;
    for (let i = 0; i < count; i++) {
      hash = Math.imul(hash ^ source[i]!, 0x9e3779b1);
      hash ^= hash >>> 15;
    }
    hash = Math.imul(hash, 0xc2b2ae35);
    hash = (hash ^ (hash >>> 16)) >>> 0;
    const mask = slots.length - 1;
    const hashes = this.hashes.data;
    const starts = this.starts.data;
    const words = this.words.data;
    let at = hash & mask;
    for (; slots[at] !== 0; at = (at + 1) & mask) {
      const row = slots[at]! - 1;
      if (hashes[row] !== hash) continue;
      const from = starts[row]!;
      if (starts[row + 1]! - from !== count) continue;
      let i = 0;
      while (i < count && words[from + i] === source[i]) i++;
      if (i === count) return row;
    }
    slots[at] = this.length + 1;
    return this.#append(source, count, hash);
  }

  #append(source: Uint32Array, count: number, hash: number): number {
    const row = this.length;
    this.words.reserve(count);
    const { data, length } = this.words;
    for (let i = 0; i < count; i++) data[length + i] = source[i]!;
    this.words.length = length + count;
    this.starts.push(length + count);
    this.hashes.push(hash);
    return row;
  }
}
