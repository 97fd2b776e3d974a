/** The order of the samples of a result. */
import { allocate, release } from '../memory';
import { sampleAt } from './samples';
import { samples, sums } from './state';

/** Words: rows of the samples of the result, in order. */
export let order: usize = 0;
/** How many. */
export let sampleCount: i32 = 0;

/**
 * Samples that are not 0: by the rank of the input that they appear in first, then by their row there.
 *
 * @param ranks words: place of each input in the order of inputs
 */
export function orderSamples(ranks: usize, typeCount: i32): void {
  order = allocate(4 * u32(samples.rows));
  sampleCount = 0;
  let isSorted = true;
  let lastRank = -1;
  let lastRow = -1;
  for (let row = 0; row < samples.rows; row++) {
    if (isZero(row, typeCount)) continue;
    const sample = sampleAt(row);
    const rank = load<i32>(ranks + 4 * u32(sample.firstInput));
    if (rank < lastRank || (rank === lastRank && sample.firstRow < lastRow)) isSorted = false;
    lastRank = rank;
    lastRow = sample.firstRow;
    store<i32>(order + 4 * u32(sampleCount++), row);
  }
  if (isSorted) return;
  const keys = allocate(4 * u32(sampleCount));
  for (let i: u32 = 0; i < u32(sampleCount); i++) {
    store<i32>(keys + 4 * i, sampleAt(load<i32>(order + 4 * i)).firstRow);
  }
  sortOrder(keys);
  for (let i: u32 = 0; i < u32(sampleCount); i++) {
    store<i32>(keys + 4 * i, load<i32>(ranks + 4 * u32(sampleAt(load<i32>(order + 4 * i)).firstInput)));
  }
  sortOrder(keys);
  release(keys, 4 * u32(sampleCount));
}

function isZero(row: i32, typeCount: i32): boolean {
  let any: i64 = 0;
  const first = sums.data + 8 * u32(row) * u32(typeCount);
  const end = first + 8 * u32(typeCount);
  for (let at = first; at < end; at += 8) any |= load<i64>(at);
  return any === 0;
}

/** Sorts `order`, stable, by counting. @param keys words, from 0 to a number that a table of may be made */
function sortOrder(keys: usize): void {
  const count = u32(sampleCount);
  let largest: u32 = 0;
  for (let i: u32 = 0; i < count; i++) largest = max<u32>(largest, load<u32>(keys + 4 * i));
  const bytes = 4 * (largest + 2);
  const starts = allocate(bytes);
  memory.fill(starts, 0, bytes);
  for (let i: u32 = 0; i < count; i++) {
    const at = starts + 4 * load<u32>(keys + 4 * i);
    store<u32>(at, load<u32>(at, 4) + 1, 4);
  }
  for (let key: u32 = 1; key < largest + 2; key++) {
    store<u32>(starts + 4 * key, load<u32>(starts + 4 * key) + load<u32>(starts + 4 * key - 4));
  }
  const sorted = allocate(4 * count);
  for (let i: u32 = 0; i < count; i++) {
    const at = starts + 4 * load<u32>(keys + 4 * i);
    const place = load<u32>(at);
    store<u32>(at, place + 1);
    store<u32>(sorted + 4 * place, load<u32>(order + 4 * i));
  }
  release(starts, bytes);
  release(order, 4 * count);
  order = sorted;
}
