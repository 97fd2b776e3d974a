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
    const row = rowAt(address, this.#starts, this.#ends);
    return row < 0 ? undefined : { start: this.#starts[row]!, end: this.#ends[row]!, name: this.#names[row]! };
  }
}

/** Of the range that holds an address; −1 where none does. @param starts ascending @param ends by the same rows, exclusive */
export function rowAt(address: bigint, starts: BigUint64Array, ends: BigUint64Array): number {
  let low = 0;
  let high = starts.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (starts[middle]! <= address) low = middle + 1;
    else high = middle;
  }
  return low > 0 && address < ends[low - 1]! ? low - 1 : -1;
}
