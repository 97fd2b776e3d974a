/** The samples of a merge's result. */
import type { SampleTable } from '../profile.js';
import { wordsOf } from './growing.js';
import { sortLabels } from './label-set-pool.js';
import type { Renumbering } from './renumbering.js';
import type { MergeState } from './state.js';

/** Samples by first appearance, with their locations and strings numbered as they come. */
export function finishSamples(
  state: MergeState,
  typeCount: number,
  locations: Renumbering,
  strings: Renumbering,
): SampleTable {
  const { samples } = state;
  const order = orderOf(state, typeCount);
  const { length } = order;
  const sums = samples.sums.words.data;
  const width = 2 * typeCount;
  const values = new Int32Array(length * width);
  for (let row = 0, at = 0; row < length; row++) {
    const start = order[row]! * width;
    for (let i = 0; i < width; i++) values[at++] = sums[start + i]!;
  }
  return {
    length,
    ...finishStacks(state, order, locations),
    values: new BigInt64Array(values.buffer),
    ...finishLabels(state, order, strings),
  };
}

/** Samples that are not 0: by the rank of the input that they appear in first, then by their row there. */
function orderOf({ samples, inputs }: MergeState, typeCount: number): Int32Array {
  const sums = samples.sums.words.data;
  const firsts = samples.firsts.data;
  const ranks = inputs.ranks();
  const width = 2 * typeCount;
  const live = new Int32Array(samples.length);
  const liveRanks = new Int32Array(samples.length);
  let count = 0;
  let isSorted = true;
  let lastRow = -1;
  for (let sample = 0; sample < samples.length; sample++) {
    let any = 0;
    for (let i = sample * width; i < (sample + 1) * width; i++) any |= sums[i]!;
    if (any === 0) continue;
    const rank = ranks[firsts[2 * sample]!]!;
    const row = firsts[2 * sample + 1]!;
    if (count > 0 && (rank < liveRanks[count - 1]! || (rank === liveRanks[count - 1]! && row < lastRow))) {
      isSorted = false;
    }
    lastRow = row;
    live[count] = sample;
    liveRanks[count++] = rank;
  }
  const unsorted = live.subarray(0, count);
  if (isSorted) return unsorted;
  const rows = unsorted.map((sample) => firsts[2 * sample + 1]!);
  const byRow = stableOrder(rows);
  const byRank = stableOrder(byRow.map((index) => liveRanks[index]!));
  return byRank.map((index) => unsorted[byRow[index]!]!);
}

/** Indexes of keys in ascending order, by counting. @param keys from 0 to a number that a table of may be made */
function stableOrder(keys: Int32Array): Int32Array {
  let max = 0;
  for (let i = 0; i < keys.length; i++) max = Math.max(max, keys[i]!);
  const starts = new Int32Array(max + 2);
  for (let i = 0; i < keys.length; i++) starts[keys[i]! + 1]!++;
  for (let key = 1; key < starts.length; key++) starts[key]! += starts[key - 1]!;
  const order = new Int32Array(keys.length);
  for (let i = 0; i < keys.length; i++) order[starts[keys[i]!]!++] = i;
  return order;
}

function finishStacks(
  { samples }: MergeState,
  order: Int32Array,
  locations: Renumbering,
): Pick<SampleTable, 'stackStart' | 'stackLocations'> {
  const { length } = order;
  const starts = samples.stackStart.data;
  const stacks = samples.stackLocations.data;
  const stackStart = new Uint32Array(length + 1);
  let frames = 0;
  for (let row = 0; row < length; row++) {
    frames += starts[order[row]! + 1]! - starts[order[row]!]!;
    stackStart[row + 1] = frames;
  }
  const stackLocations = new Int32Array(frames);
  const { rows } = locations;
  for (let row = 0, at = 0; row < length; row++) {
    const end = starts[order[row]! + 1]!;
    for (let from = starts[order[row]!]!; from < end; from++, at++) {
      const known = rows[stacks[from]!]!;
      stackLocations[at] = known !== 0 ? known - 1 : locations.row(stacks[from]!);
    }
  }
  return { stackStart, stackLocations: new Uint32Array(stackLocations.buffer) };
}

function finishLabels(
  state: MergeState,
  order: Int32Array,
  strings: Renumbering,
): Pick<SampleTable, 'labelStart' | 'labels'> {
  const { length } = order;
  const sets = state.labelSets.columns();
  const setOf = state.samples.labelSet.data;
  const labelStart = new Uint32Array(length + 1);
  let count = 0;
  for (let row = 0; row < length; row++) {
    const set = setOf[order[row]!]!;
    count += sets.starts[set + 1]! - sets.starts[set]!;
    labelStart[row + 1] = count;
  }
  const places = keyPlaces(state);
  const labels = {
    starts: wordsOf(labelStart),
    key: new Int32Array(count),
    str: new Int32Array(count),
    num: new Int32Array(2 * count),
    numUnit: new Int32Array(count),
  };
  for (let row = 0, at = 0; row < length; row++) {
    const set = setOf[order[row]!]!;
    const first = at;
    for (let i = sets.starts[set]!; i < sets.starts[set + 1]!; i++, at++) {
      labels.key[at] = sets.key[i]!;
      labels.str[at] = sets.str[i]!;
      labels.num[2 * at] = sets.num[2 * i]!;
      labels.num[2 * at + 1] = sets.num[2 * i + 1]!;
      labels.numUnit[at] = sets.numUnit[i]!;
    }
    sortLabels(labels, first, at, places);
    for (let i = first; i < at; i++) {
      labels.key[i] = strings.row(labels.key[i]!);
      labels.str[i] = strings.row(labels.str[i]!);
      labels.numUnit[i] = strings.row(labels.numUnit[i]!);
    }
  }
  return {
    labelStart,
    labels: {
      length: count,
      key: new Uint32Array(labels.key.buffer),
      str: new Uint32Array(labels.str.buffer),
      num: new BigInt64Array(labels.num.buffer),
      numUnit: new Uint32Array(labels.numUnit.buffer),
    },
  };
}

/** Place of each label key in the order of their bytes, by its row. */
function keyPlaces({ labelSets, strings }: MergeState): Int32Array {
  const isKey = new Uint8Array(strings.length);
  const { data, length } = labelSets.key;
  for (let i = 0; i < length; i++) isKey[data[i]!] = 1;
  const keys: number[] = [];
  for (let row = 0; row < isKey.length; row++) if (isKey[row] === 1) keys.push(row);
  keys.sort((a, b) => strings.compare(a, b));
  const places = new Int32Array(strings.length);
  for (const [place, key] of keys.entries()) places[key] = place;
  return places;
}
