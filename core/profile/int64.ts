/** 64-bit integers at the door: into the columns, which would wrap without a word, and out to JSON. */

/** @throws RangeError for what is no integer of [−2^63, 2^63) */
export function int64(value: number | bigint): bigint {
  const exact = BigInt(value);
  if (BigInt.asIntN(64, exact) !== exact) throw new RangeError(`${value} is no signed 64-bit integer`);
  return exact;
}

/** @throws RangeError for what is no integer of [0, 2^64) */
export function uint64(value: number | bigint): bigint {
  const exact = BigInt(value);
  if (BigInt.asUintN(64, exact) !== exact) throw new RangeError(`${value} is no unsigned 64-bit integer`);
  return exact;
}

/**
 * Writes a signed integer as its halves (see `halves`), without a bigint for what fits a number.
 * @param at row of the low half
 * @throws RangeError for what is no integer of [−2^63, 2^63), or a number beyond ±(2^53 − 1), which may not be the one that was meant
 */
export function writeInteger(to: Uint32Array, at: number, value: number | bigint): void {
  if (Number.isSafeInteger(value)) {
    to[at] = value as number;
    to[at + 1] = Math.floor((value as number) / 2 ** 32);
    return;
  }
  if (typeof value === 'number')
    throw new RangeError(`${value} is no whole number up to ±(2^53 − 1); use a bigint beyond`);
  const exact = int64(value);
  to[at] = Number(BigInt.asUintN(32, exact));
  to[at + 1] = Number(BigInt.asUintN(32, exact >> 32n));
}

/** For JSON: a number where a double holds it exactly, else a decimal string. */
export function jsonInteger(value: bigint): number | string {
  const number = Number(value);
  return Number.isSafeInteger(number) ? number : value.toString();
}
