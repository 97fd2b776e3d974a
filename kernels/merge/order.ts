/** The order of the samples of a result. */
import { allocate, release } from '../memory';
import { Sample } from './sample-table';
import { samples } from './state';

/** How many. */
export let sampleCount: i32 = 0;

/** Words: places in the columns below, in order. */
let order: usize = 0;

/** Words, by arrival. What is asked of every sample is not asked of the records, which are far apart. */
let rows: usize = 0;
let sizes: usize = 0;
let labelSets: usize = 0;

/** @param place in the result */
export function orderedSample(place: i32): Sample {
  return samples.sample(load<i32>(rows + placed(place)));
}

/** Frames of its stack. */
export function orderedSize(place: i32): u32 {
  return load<u32>(sizes + placed(place));
}

/** Row of its set of labels. */
export function orderedLabelSet(place: i32): i32 {
  return load<i32>(labelSets + placed(place));
}

function placed(place: i32): u32 {
  return 4 * load<u32>(order + 4 * u32(place));
}

/**
 * Samples that are not 0: by the rank of the input that they appear in first, then by their row there.
 *
 * @param ranks words: place of each input in the order of inputs
 */
export function orderSamples(ranks: usize, typeCount: i32): void {
  const bytes = 4 * u32(samples.count);
  order = allocate(bytes);
  rows = allocate(bytes);
  sizes = allocate(bytes);
  labelSets = allocate(bytes);
  const rankKeys = allocate(bytes);
  const rowKeys = allocate(bytes);
  let isSorted = true;
  let lastRank = -1;
  let lastRow = -1;
  let at: u32 = 0;
  for (let row = 0; row < samples.rows; row += samples.sample(row).units) {
    const sample = samples.sample(row);
    if (isZero(sample, typeCount)) continue;
    const rank = load<i32>(ranks + 4 * u32(sample.firstInput));
    if (rank < lastRank || (rank === lastRank && sample.firstRow < lastRow)) isSorted = false;
    lastRank = rank;
    lastRow = sample.firstRow;
    store<u32>(order + at, at / 4);
    store<i32>(rows + at, row);
    store<u32>(sizes + at, sample.size);
    store<i32>(labelSets + at, sample.labelSet);
    store<i32>(rankKeys + at, rank);
    store<i32>(rowKeys + at, sample.firstRow);
    at += 4;
  }
  sampleCount = i32(at / 4);
  if (!isSorted) {
    sortOrder(rowKeys);
    sortOrder(rankKeys);
  }
  release(rankKeys, bytes);
  release(rowKeys, bytes);
}

function isZero(sample: Sample, typeCount: i32): boolean {
  let any: i64 = 0;
  for (let at = sample.sums(typeCount); at < sample.end; at += 8) any |= load<i64>(at);
  return any === 0;
}

/** Sorts `order`, stable, by counting. @param keys words, by arrival, from 0 to a number that a table of may be made */
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
  const sorted = allocate(4 * u32(samples.count));
  for (let i: i32 = 0; i < sampleCount; i++) {
    const at = starts + 4 * load<u32>(keys + placed(i));
    const place = load<u32>(at);
    store<u32>(at, place + 1);
    store<u32>(sorted + 4 * place, placed(i) / 4);
  }
  release(starts, bytes);
  release(order, 4 * u32(samples.count));
  order = sorted;
}
