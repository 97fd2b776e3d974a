/** Distinct samples: a set of labels and a stack make them what they are. The hottest of the tables: it sees every frame. */
import { finishHash, K1, K2, K3, K4 } from './hash';
import { compareInputs } from './inputs';
import { frames, samples } from './state';
import { addValues, appendValues, sumAt } from './sums';
import { BLOCK, blockHashes, keepRead } from './table';

/** A record of `samples`. */
@unmanaged
export class Sample {
  hash: i32;
  labelSet: i32;
  /** Bytes of its stack in `frames`. */
  start: u32;
  end: u32;
  /** Its first appearance: the input, and the row there. */
  firstInput: i32;
  firstRow: i32;
}

/** Samples to be added, and where they come from. Addresses are those of words, unless said otherwise. */
@unmanaged
export class SampleSource {
  count: i32;
  typeCount: i32;
  /** `count + 1` offsets into `stacks`, which has rows of the source's locations. */
  starts: usize;
  stacks: usize;
  /** Rows of the merge's locations, by the source's; −1: not added so far. */
  locations: usize;
  /** By sample: row of the merge's set of labels; −1: the sample is not wanted. */
  labelSets: usize;
  /** int64. */
  values: usize;
  /** The input that they are from, or the first of those that they are from. */
  input: i32;
  /** By sample: its first appearance, as the input, counted from `input`, and the row there. 0: `input`, and its own row. */
  firsts: usize;
  /** Whether all inputs so far come before these. */
  isBehindAll: boolean;
  /** Gets the row of each sample that is wanted; 0: not asked. */
  rows: usize;

  firstInput(row: i32): i32 {
    return this.firsts === 0 ? this.input : this.input + load<i32>(this.firsts + 8 * u32(row));
  }

  firstRow(row: i32): i32 {
    return this.firsts === 0 ? row : load<i32>(this.firsts + 8 * u32(row), 4);
  }

  valuesOf(row: i32): usize {
    return this.values + 8 * u32(row) * u32(this.typeCount);
  }
}

/** A sample whose stack was written behind all others'. */
@unmanaged
class Staged {
  labelSet: i32;
  /** Row in the source. */
  row: i32;
  /** Bytes into `frames`. */
  end: u32;
}

const CACHE_LINE = 64;

/** The samples of a block, whose hashes are `blockHashes`. */
const staged: usize = memory.data(64 * 12, 8);

function stagedAt(index: i32): Staged {
  return changetype<Staged>(staged + u32(index) * offsetof<Staged>());
}

export function sampleAt(row: i32): Sample {
  return changetype<Sample>(samples.at(row));
}

/** Room for all of them must have been made: in `samples`, `frames` and `sums`. */
export function addSamples(source: SampleSource): void {
  const count = source.count;
  let next = 0;
  for (let row = 0; row < count; ) {
    // Profiles of one program may have samples in the same order; those of one moment have.
    for (; row < count && next < samples.rows && isAt(next, source, row); row++) found(next++, source, row);
    const length = stage(source, row);
    if (length === 0) return;
    samples.bring(length);
    bringRest(length, source.typeCount);
    let start = frames.length;
    for (let i = 0; i < length; i++) {
      const sample = stagedAt(i);
      next = intern(sample, load<i32>(blockHashes + 4 * u32(i)), start, source) + 1;
      start = sample.end;
    }
    row = stagedAt(length - 1).row + 1;
  }
}

function isAt(known: i32, source: SampleSource, row: i32): boolean {
  const sample = sampleAt(known);
  if (sample.labelSet !== load<i32>(source.labelSets + 4 * u32(row))) return false;
  const first = load<u32>(source.starts + 4 * u32(row));
  const end = load<u32>(source.starts + 4 * u32(row), 4);
  if (sample.end - sample.start !== 4 * (end - first)) return false;
  const locations = source.locations;
  const last = frames.data + sample.end;
  let from = source.stacks + 4 * first;
  for (let at = frames.data + sample.start; at < last; at += 4, from += 4) {
    if (load<i32>(at) !== load<i32>(locations + 4 * load<u32>(from))) return false;
  }
  return true;
}

/** Adds a sample that there is. */
function found(row: i32, source: SampleSource, from: i32): void {
  addValues(row * source.typeCount, source.valuesOf(from), source.typeCount);
  if (source.rows !== 0) store<i32>(source.rows + 4 * u32(from), row);
  if (source.isBehindAll) return;
  const sample = sampleAt(row);
  const input = source.firstInput(from);
  if (compareInputs(input, sample.firstInput) >= 0) return;
  sample.firstInput = input;
  sample.firstRow = source.firstRow(from);
}

/** Writes the stacks of some samples behind all others'. @returns how many; 0: none is left from `row` on */
function stage(source: SampleSource, row: i32): i32 {
  let to = frames.end;
  let length = 0;
  for (const count = source.count; row < count && length < BLOCK; row++) {
    const labelSet = load<i32>(source.labelSets + 4 * u32(row));
    if (labelSet < 0) continue;
    const first = source.stacks + 4 * load<u32>(source.starts + 4 * u32(row));
    const end = source.stacks + 4 * load<u32>(source.starts + 4 * u32(row), 4);
    store<i32>(blockHashes + 4 * u32(length), stageStack(first, end, to, source.locations, labelSet));
    const sample = stagedAt(length++);
    sample.labelSet = labelSet;
    sample.row = row;
    to += end - first;
    sample.end = u32(to - frames.data);
  }
  return length;
}

/** Reads what the samples of a block will be compared with and added to: see `Table`. */
function bringRest(length: i32, typeCount: i32): void {
  let sum = 0;
  for (let i = 0; i < length; i++) {
    const row = samples.likelyRow(load<i32>(blockHashes + 4 * u32(i)));
    if (row < 0) continue;
    const sample = sampleAt(row);
    const end = frames.data + sample.end;
    for (let at = frames.data + sample.start; at < end; at += CACHE_LINE) sum ^= load<i32>(at);
    sum ^= load<i32>(sumAt(row * typeCount));
  }
  keepRead(sum);
}

/** @returns hash of the sample */
function stageStack(first: usize, end: usize, to: usize, locations: usize, labelSet: i32): i32 {
  let sum = i32(end - first) + labelSet * K1;
  let from = first;
  // By fours: the products of one round do not wait for each other.
  for (; from + 12 < end; from += 16, to += 16) {
    const a = load<i32>(locations + 4 * load<u32>(from));
    const b = load<i32>(locations + 4 * load<u32>(from, 4));
    const c = load<i32>(locations + 4 * load<u32>(from, 8));
    const d = load<i32>(locations + 4 * load<u32>(from, 12));
    store<i32>(to, a);
    store<i32>(to, b, 4);
    store<i32>(to, c, 8);
    store<i32>(to, d, 12);
    sum = sum * K4 + a * K3 + b * K2 + c * K1 + d;
  }
  for (; from < end; from += 4, to += 4) {
    const location = load<i32>(locations + 4 * load<u32>(from));
    store<i32>(to, location);
    sum = sum * K1 + location;
  }
  return finishHash(sum);
}

/** @param start bytes into `frames` where its stack was staged @returns row of the sample */
function intern(wanted: Staged, hash: i32, start: u32, source: SampleSource): i32 {
  let slot = samples.slotOf(hash);
  for (; load<i32>(slot) !== 0; slot = samples.nextSlot(slot)) {
    if (load<i32>(slot, 4) !== hash) continue;
    const row = load<i32>(slot) - 1;
    if (!isSame(sampleAt(row), wanted, start)) continue;
    found(row, source, wanted.row);
    return row;
  }
  const bytes = wanted.end - start;
  if (start !== frames.length) memory.copy(frames.end, frames.data + start, bytes);
  const sample = changetype<Sample>(samples.end);
  sample.labelSet = wanted.labelSet;
  sample.start = frames.length;
  frames.length += bytes;
  sample.end = frames.length;
  sample.firstInput = source.firstInput(wanted.row);
  sample.firstRow = source.firstRow(wanted.row);
  appendValues(source.valuesOf(wanted.row), source.typeCount);
  const row = samples.take(slot, hash);
  if (source.rows !== 0) store<i32>(source.rows + 4 * u32(wanted.row), row);
  return row;
}

function isSame(known: Sample, wanted: Staged, start: u32): boolean {
  if (known.labelSet !== wanted.labelSet || known.end - known.start !== wanted.end - start) return false;
  let a = frames.data + known.start;
  let b = frames.data + start;
  const end = frames.data + known.end;
  for (; a + 12 < end; a += 16, b += 16) if (v128.any_true(v128.xor(v128.load(a), v128.load(b)))) return false;
  for (; a < end; a += 4, b += 4) if (load<u32>(a) !== load<u32>(b)) return false;
  return true;
}
