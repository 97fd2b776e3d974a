/**
 * The inputs of a merge, and their order. Where google/pprof takes "the first profile's", and where it numbers by first appearance,
 * arrival would show in the result; so inputs are ordered by their earliest time that is not 0, then by their digest. Two inputs
 * with the same digest are the same bytes, and it does not matter which of them is first.
 */
import { Words } from './growing.js';

/** Words per input: whether there is no time, the time as an order key (high, low), the digest (eight). */
const WIDTH = 11;

export class Inputs {
  readonly words: Words;
  /** The last in the order, −1 while there is none. */
  #last = -1;

  constructor(words = new Words()) {
    this.words = words;
    for (let row = 0; row < this.length; row++) this.#see(row);
  }

  get length(): number {
    return this.words.length / WIDTH;
  }

  /** @returns the input's row */
  add(timeNanos: bigint, digest: Uint8Array): number {
    const row = this.length;
    // Signed order as unsigned order.
    const key = BigInt.asUintN(64, timeNanos) ^ (1n << 63n);
    this.words.push(timeNanos === 0n ? 1 : 0);
    this.words.push(Number(key >> 32n));
    this.words.push(Number(key & 0xffffffffn));
    const view = new DataView(digest.buffer, digest.byteOffset, digest.byteLength);
    for (let at = 0; at < 32; at += 4) this.words.push(at + 4 <= digest.length ? view.getUint32(at) : 0);
    this.#see(row);
    return row;
  }

  /** Whether no input comes behind this one, as when they arrive in order. */
  isLast(row: number): boolean {
    return this.compare(row, this.#last) === 0;
  }

  /** Appends those of another merge. @returns what to add to their rows */
  append(other: Inputs): number {
    const shift = this.length;
    const { data, length } = other.words;
    this.words.reserve(length);
    this.words.data.set(data.subarray(0, length), this.words.length);
    this.words.length += length;
    for (let row = shift; row < this.length; row++) this.#see(row);
    return shift;
  }

  /** Negative when `a` comes first, 0 when they are the same bytes. */
  compare(a: number, b: number): number {
    const { data } = this.words;
    for (let i = 0; i < WIDTH; i++) {
      const difference = (data[a * WIDTH + i]! >>> 0) - (data[b * WIDTH + i]! >>> 0);
      if (difference !== 0) return difference;
    }
    return 0;
  }

  /** Place of each input in the order; the same for inputs that are the same bytes. */
  ranks(): Uint32Array {
    const order = Uint32Array.from({ length: this.length }, (_, row) => row).sort((a, b) => this.compare(a, b));
    const ranks = new Uint32Array(order.length);
    let rank = 0;
    for (let i = 1; i < order.length; i++) {
      if (this.compare(order[i - 1]!, order[i]!) !== 0) rank++;
      ranks[order[i]!] = rank;
    }
    return ranks;
  }

  #see(row: number): void {
    if (this.#last < 0 || this.compare(row, this.#last) > 0) this.#last = row;
  }
}
