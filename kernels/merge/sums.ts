/**
 * Sums of samples' values: exact, whatever the order of adding. A sum is an int64 and how often it went around, which the TypeScript
 * around counts: intermediate sums may leave the range and come back, so only the last one is judged.
 */
import { turn } from './imports';
import { sums } from './state';

/** @param values of a new sample */
export function appendValues(values: usize, count: i32): void {
  const bytes: u32 = 8 * u32(count);
  for (let i: u32 = 0; i < bytes; i += 8) store<i64>(sums.end + i, load<i64>(values + i));
  sums.length += bytes;
}

/** Address of a sum. */
export function sumAt(value: i32): usize {
  return sums.data + 8 * u32(value);
}

/** Adds `count` values to the sums that start with sum `to`. */
export function addValues(to: i32, values: usize, count: i32): void {
  const own = sumAt(to);
  for (let i = 0; i < count; i++) {
    const at = 8 * u32(i);
    const sum = load<i64>(own + at);
    const value = load<i64>(values + at);
    const total = sum + value;
    store<i64>(own + at, total);
    // Two numbers of one sign with a sum of the other.
    if (((sum ^ total) & (value ^ total)) < 0) turn(to + i, value < 0 ? -1 : 1);
  }
}
