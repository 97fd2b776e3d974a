/** Lists on their way into a pool, some dozens at a time, so that their lookups wait for memory together. */
import type { ListPool } from './list-pool.js';

const LISTS = 64;

export class ListBlock {
  readonly #pool: ListPool;
  /** The lists, one behind the other. */
  words: Uint32Array = new Uint32Array(4096);
  readonly #starts = new Uint32Array(LISTS + 1);
  readonly #hashes = new Uint32Array(LISTS);
  /** What the caller calls each list. */
  readonly #tags = new Uint32Array(LISTS);
  #length = 0;

  constructor(pool: ListPool) {
    this.#pool = pool;
  }

  get isFull(): boolean {
    return this.#length === LISTS;
  }

  /** Room for a list of `count` words. @returns where it begins in `words`, which may be another array than before */
  open(count: number): number {
    const at = this.#starts[this.#length]!;
    if (at + count > this.words.length) {
      const grown = new Uint32Array(2 * (at + count));
      grown.set(this.words.subarray(0, at));
      this.words = grown;
    }
    return at;
  }

  /** The list that was opened is there. @param hash as `hashOf` gives it */
  close(tag: number, count: number, hash: number): void {
    const index = this.#length++;
    const start = this.#starts[index]!;
    this.#starts[index + 1] = start + count;
    this.#tags[index] = tag;
    this.#hashes[index] = hash;
  }

  /** Puts all lists into the pool, in their order, and says of each its row there and whether that is new. Empties the block. */
  flush(put: (row: number, tag: number, isNew: boolean) => void): void {
    const pool = this.#pool;
    this.#touched ^= pool.bring(this.#hashes, this.#length);
    for (let index = 0; index < this.#length; index++) {
      const before = pool.length;
      const row = pool.rowOf(this.words, this.#starts[index]!, this.#starts[index + 1]!, this.#hashes[index]!);
      put(row, this.#tags[index]!, row === before);
    }
    this.#length = 0;
  }

  /** Keeps the reads of `bring` from being optimized away. */
  #touched = 0;
}
