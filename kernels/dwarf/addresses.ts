/** Absolute addresses of a file to those that count from its lowest, and those that a linker writes for code that it discarded. */

let imageBaseHigh: i64 = 0;
let imageBaseLow: i64 = 0;
/** Absolute 0, and the second highest absolute address. */
let zero: f64 = 0;
let top: f64 = 0;

/** @param high @param low words of the lowest address @param newZero @param newTop as object addresses */
export function setImageBase(high: u32, low: u32, newZero: f64, newTop: f64): void {
  imageBaseHigh = i64(high);
  imageBaseLow = i64(low);
  zero = newZero;
  top = newTop;
}

/** @param size 8, or 4 for an address without a high word */
export function readAddress(at: usize, size: u32): f64 {
  const low = i64(load<u32>(at));
  const high = size === 8 ? i64(load<u32>(at, 4)) : 0;
  return f64(high - imageBaseHigh) * 4294967296.0 + f64(low - imageBaseLow);
}

export function isZero(objectAddress: f64): boolean {
  return objectAddress === zero;
}

export function isDead(objectAddress: f64): boolean {
  return !(objectAddress > zero && objectAddress < top);
}
