/**
 * Order of rows by columns of numbers. Each sort keeps the order of rows that are equal in its column, so the column that matters most is
 * sorted by last. A sort by radix takes time in proportion to the rows, whatever is in them.
 */
import { allocate, release } from './memory';

const DIGITS: u32 = 256;
/** Of the eight bytes of a key. */
const KEY_BYTES: u32 = 8;

/** By byte of the key, how often each digit comes. */
const histograms = memory.data(KEY_BYTES * DIGITS * 4, 8);

let count: u32 = 0;
/** u32 each: rows in order, and where the next sort puts them. */
let rows: usize = 0;
let other: usize = 0;

/** Puts rows in order, from the last one to the first. @param rowCount at least 1 */
export function beginOrder(rowCount: u32): void {
  count = rowCount;
  rows = allocate(count * sizeof<u32>());
  other = allocate(count * sizeof<u32>());
  for (let row: u32 = 0; row < count; row++) store<u32>(rows + row * sizeof<u32>(), count - 1 - row);
}

/** Gives back what was taken since `beginOrder`. */
export function endOrder(): void {
  release(rows, count * sizeof<u32>());
  release(other, count * sizeof<u32>());
}

/** @param at below the number of rows */
export function rowAt(at: u32): u32 {
  return load<u32>(rows + at * sizeof<u32>());
}

/** @param column of f64, none of them NaN */
export function orderByNumber(column: usize, isDescending: bool): void {
  memory.fill(histograms, 0, KEY_BYTES * DIGITS * sizeof<u32>());
  for (let row: u32 = 0; row < count; row++) {
    let key = keyOf(column, row, isDescending);
    for (let byte: u32 = 0; byte < KEY_BYTES; byte++, key >>= 8) {
      const digit = histograms + (byte * DIGITS + u32(key & 255)) * sizeof<u32>();
      store<u32>(digit, load<u32>(digit) + 1);
    }
  }
  const first = keyOf(column, 0, isDescending);
  for (let byte: u32 = 0; byte < KEY_BYTES; byte++) {
    const shift = u64(byte * 8);
    const histogram = histograms + byte * DIGITS * sizeof<u32>();
    if (load<u32>(histogram + u32((first >> shift) & 255) * sizeof<u32>()) === count) continue;
    toPlaces(histogram);
    for (let at: u32 = 0; at < count; at++) {
      const row = rowAt(at);
      place(histogram, u32((keyOf(column, row, isDescending) >> shift) & 255), row);
    }
    exchange();
  }
}

/** By the bits of a mask. @param column of u8 */
export function orderByBits(column: usize, mask: u32): void {
  memory.fill(histograms, 0, DIGITS * sizeof<u32>());
  for (let row: u32 = 0; row < count; row++) {
    const digit = histograms + (load<u8>(column + row) & mask) * sizeof<u32>();
    store<u32>(digit, load<u32>(digit) + 1);
  }
  toPlaces(histograms);
  for (let at: u32 = 0; at < count; at++) {
    const row = rowAt(at);
    place(histograms, load<u8>(column + row) & mask, row);
  }
  exchange();
}

/** Bits that are ordered as unsigned numbers are. */
function keyOf(column: usize, row: u32, isDescending: bool): u64 {
  const bits = load<u64>(column + row * sizeof<f64>());
  const ascending = bits >> 63 !== 0 ? ~bits : bits | (1 << 63);
  return isDescending ? ~ascending : ascending;
}

/** Of each digit, where its first row comes, in place of how often it comes. */
function toPlaces(histogram: usize): void {
  let sum: u32 = 0;
  for (let digit: u32 = 0; digit < DIGITS; digit++) {
    const often = load<u32>(histogram + digit * sizeof<u32>());
    store<u32>(histogram + digit * sizeof<u32>(), sum);
    sum += often;
  }
}

function place(histogram: usize, digit: u32, row: u32): void {
  const at = load<u32>(histogram + digit * sizeof<u32>());
  store<u32>(histogram + digit * sizeof<u32>(), at + 1);
  store<u32>(other + at * sizeof<u32>(), row);
}

function exchange(): void {
  const sorted = other;
  other = rows;
  rows = sorted;
}
