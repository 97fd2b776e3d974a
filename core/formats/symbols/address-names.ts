/** Names of ranges of runtime addresses, where no binary says them: the kernel, and code that a program makes while it runs. */

export interface NamedRange {
  readonly start: bigint;
  /** Exclusive. */
  readonly end: bigint;
  readonly name: string;
}

export class AddressNames {
  readonly #starts: BigUint64Array;
  readonly #ends: BigUint64Array;
  readonly #names: readonly string[];

  /** @param ranges in ascending order, none within another */
  constructor(ranges: readonly NamedRange[]) {
    this.#starts = BigUint64Array.from(ranges, ({ start }) => start);
    this.#ends = BigUint64Array.from(ranges, ({ end }) => end);
    this.#names = ranges.map(({ name }) => name);
  }

  get length(): number {
    return this.#names.length;
  }

  /** @returns undefined for an address that no range holds */
  find(address: bigint): NamedRange | undefined {
    let low = 0;
    let high = this.#starts.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (this.#starts[middle]! <= address) low = middle + 1;
      else high = middle;
    }
    if (low === 0 || address >= this.#ends[low - 1]!) return undefined;
    return { start: this.#starts[low - 1]!, end: this.#ends[low - 1]!, name: this.#names[low - 1]! };
  }
}
