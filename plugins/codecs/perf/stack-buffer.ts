/** The stack bytes of one part, in memory that the next part takes over: fresh memory costs more than what is copied into it. */

const FIRST_BYTES = 1 << 16;

export class StackBuffer {
  #memory = new Uint8Array(FIRST_BYTES);
  #used = 0;

  /** Bytes that were added. */
  get used(): number {
    return this.#used;
  }

  /** What was added, until the buffer is cleared. */
  get bytes(): Uint8Array {
    return this.#memory.subarray(0, this.#used);
  }

  add(stack: Uint8Array): void {
    const end = this.#used + stack.length;
    if (end > this.#memory.length) {
      const larger = new Uint8Array(Math.max(2 * this.#memory.length, end));
      larger.set(this.bytes);
      this.#memory = larger;
    }
    this.#memory.set(stack, this.#used);
    this.#used = end;
  }

  clear(): void {
    this.#used = 0;
  }
}
