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

/** For JSON: a number where a double holds it exactly, else a decimal string. */
export function jsonInteger(value: bigint): number | string {
  const number = Number(value);
  return Number.isSafeInteger(number) ? number : value.toString();
}
