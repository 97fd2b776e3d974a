/**
 * Sums of samples' values: exact, whatever the order of adding. A sum is an int64 and how often it went around, which the TypeScript
 * around counts: intermediate sums may leave the range and come back, so only the last one is judged.
 */
import { turn } from './imports';
import { Sample } from './sample-table';
import { samples } from './state';

/** Adds `count` values to a sample's sums. */
export function addValues(sample: Sample, values: usize, count: i32): void {
  const own = sample.sums(count);
  for (let i = 0; i < count; i++) {
    const at = 8 * u32(i);
    const sum = load<i64>(own + at);
    const value = load<i64>(values + at);
    const total = sum + value;
    store<i64>(own + at, total);
    // Two numbers of one sign with a sum of the other.
    if (((sum ^ total) & (value ^ total)) < 0) turn(sample.number * count + i, value < 0 ? -1 : 1);
  }
}

/** Address of a sum. @param value as `turn` was told @param typeCount values of a sample */
export function sumAt(value: i32, typeCount: i32): usize {
  let at = samples.data;
  while (changetype<Sample>(at).number !== value / typeCount) at = changetype<Sample>(at).end;
  return changetype<Sample>(at).sums(typeCount) + 8 * u32(value % typeCount);
}
