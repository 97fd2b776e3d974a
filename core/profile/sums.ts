/** Exact sums of 64-bit values without a bigint per addition: two float64 a sum, for the low and the high 32 bits. */

const TWO_32 = 2 ** 32;
/** The low part is carried before it leaves the integers that a float64 holds exactly. */
const CARRY_AT = 2 ** 52;

export class ExactSums {
  readonly #low: Float64Array;
  readonly #high: Float64Array;

  constructor(length: number) {
    this.#low = new Float64Array(length);
    this.#high = new Float64Array(length);
  }

  /** Adds a value, given as its halves (see `halves`): the high one as a signed number. */
  add(row: number, low: number, signedHigh: number): void {
    const sum = this.#low[row]! + low;
    this.#high[row]! += signedHigh;
    if (sum < CARRY_AT && sum > -CARRY_AT) this.#low[row] = sum;
    else {
      const carry = Math.trunc(sum / TWO_32);
      this.#high[row]! += carry;
      this.#low[row] = sum - carry * TWO_32;
    }
  }

  /** The sum, which may be beyond 64 bits: exact below 2^84, more than any two million values add up to. */
  at(row: number): bigint {
    return (BigInt(this.#high[row]!) << 32n) + BigInt(this.#low[row]!);
  }
}
