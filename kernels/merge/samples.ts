/** Distinct samples: a set of labels and a stack make them what they are. The hottest of the tables: it sees every frame. */
import { compareInputs } from './inputs';
import { areNarrow, hashStack, pieceAt, recordBytes, Sample, STEP, UNIT } from './sample-table';
import { locations, samples } from './state';
import { addValues } from './sums';
import { BLOCK, blockHashes, keepRead } from './table';

/**
 * Samples to be added, and where they come from: a profile's columns, or the records of another merge. Addresses are those of words,
 * unless said otherwise.
 */
@unmanaged
export class SampleSource {
  count: i32;
  typeCount: i32;
  /** Addresses of the other merge's records; 0: it is a profile. */
  records: usize;
  /** Of a profile, `count + 1` offsets into `stacks`, which has rows of its locations. */
  starts: usize;
  /** Of a merge, its first record. */
  stacks: usize;
  /** Whether frames have 16 bits; else they have 32. */
  isNarrow: boolean;
  /** Rows of the merge's locations, by the source's; −1: not added so far. */
  locations: usize;
  /** By sample: row of the merge's set of labels; −1: the sample is not wanted. */
  labelSets: usize;
  /** int64, of a profile. */
  values: usize;
  /** The input that they are from, or the first of those that they are from. */
  input: i32;
  /** Of a profile, rows of the input's samples before the first of these. */
  rowsBefore: i32;
  /** Whether all inputs so far come before these. */
  isBehindAll: boolean;
  /** Gets the number of each sample that is wanted; 0: not asked. */
  numbers: usize;
  /** See `roomBytes`. */
  room: usize;

  private record(row: i32): Sample {
    return changetype<Sample>(load<usize>(this.records + sizeof<usize>() * u32(row)));
  }

  /** Where its stack is in `stacks`, counted in frames. */
  first<S>(row: i32): u32 {
    if (this.records === 0) return load<u32>(this.starts + 4 * u32(row));
    return u32(this.record(row).frames - this.stacks) / sizeof<S>();
  }

  /** Frames of its stack. */
  size(row: i32): u32 {
    if (this.records !== 0) return this.record(row).size;
    return load<u32>(this.starts + 4 * u32(row), 4) - load<u32>(this.starts + 4 * u32(row));
  }

  valuesOf(row: i32): usize {
    if (this.records !== 0) return this.record(row).sums(this.typeCount);
    return this.values + 8 * u32(row) * u32(this.typeCount);
  }

  /** Of its first appearance. */
  firstInput(row: i32): i32 {
    return this.records === 0 ? this.input : this.input + this.record(row).firstInput;
  }

  firstRow(row: i32): i32 {
    return this.records === 0 ? this.rowsBefore + row : this.record(row).firstRow;
  }
}

/** Room for the stacks of any block, and for what copying by eight reads behind them. @param frameCount of all @param longest of one */
export function roomBytes(frameCount: u32, longest: u32): u32 {
  return u32(sizeof<u32>() * min<u64>(frameCount, u64(longest) * BLOCK)) + 8;
}

/** A sample to be looked up. */
@unmanaged
class Staged {
  labelSet: i32;
  /** Row in the source. */
  row: i32;
  /** Address of its frames, as rows of the merge's locations. */
  frames: usize;
  size: u32;
}

const CACHE_LINE: u32 = 64;

/** The samples of a block, whose hashes are `blockHashes`. */
const staged: usize = memory.data(64 * 16, 8);

function stagedAt(index: i32): Staged {
  return changetype<Staged>(staged + u32(index) * offsetof<Staged>());
}

/** Room for all of them must have been made. */
export function addSamples(source: SampleSource): void {
  if (areNarrow(locations.rows)) {
    if (source.isNarrow) addAll<u16, u16>(source);
    else addAll<u32, u16>(source);
  } else if (source.isNarrow) addAll<u16, u32>(source);
  else addAll<u32, u32>(source);
}

/** `S` is what a frame of the source is, `F` one of the merge. */
function addAll<S, F>(source: SampleSource): void {
  const count = source.count;
  let next = samples.data;
  for (let row = 0; row < count; ) {
    // Profiles of one program may have samples in the same order; those of one moment have.
    for (; row < count && next < samples.end && isAt<S, F>(changetype<Sample>(next), source, row); row++) {
      found(changetype<Sample>(next), source, row);
      next = changetype<Sample>(next).end;
    }
    const length = stage<S, F>(source, row);
    if (length === 0) return;
    samples.bring(length);
    bringRest<F>(length, source.typeCount);
    for (let i = 0; i < length; i++) {
      next = intern<F>(stagedAt(i), load<i32>(blockHashes + 4 * u32(i)), source).end;
    }
    row = stagedAt(length - 1).row + 1;
  }
}

function isAt<S, F>(known: Sample, source: SampleSource, row: i32): boolean {
  if (known.labelSet !== load<i32>(source.labelSets + 4 * u32(row))) return false;
  if (known.size !== source.size(row)) return false;
  const locations = source.locations;
  let from = source.stacks + source.first<S>(row) * sizeof<S>();
  let at = known.frames;
  const last = at + known.size * sizeof<F>();
  for (; at + 3 * sizeof<F>() < last; at += 4 * sizeof<F>(), from += 4 * sizeof<S>()) {
    const a = u32(load<F>(at)) ^ locationOf<S>(locations, from);
    const b = u32(load<F>(at, sizeof<F>())) ^ locationOf<S>(locations, from + sizeof<S>());
    const c = u32(load<F>(at, 2 * sizeof<F>())) ^ locationOf<S>(locations, from + 2 * sizeof<S>());
    const d = u32(load<F>(at, 3 * sizeof<F>())) ^ locationOf<S>(locations, from + 3 * sizeof<S>());
    if ((a | b | c | d) !== 0) return false;
  }
  for (; at < last; at += sizeof<F>(), from += sizeof<S>()) {
    if (u32(load<F>(at)) !== locationOf<S>(locations, from)) return false;
  }
  return true;
}

/** Row of the merge's location. @param frame address of the source's */
function locationOf<S>(locations: usize, frame: usize): u32 {
  return load<u32>(locations + 4 * u32(load<S>(frame)));
}

/** Adds to a sample that there is. */
function found(sample: Sample, source: SampleSource, from: i32): void {
  addValues(sample, source.valuesOf(from), source.typeCount);
  if (source.numbers !== 0) store<i32>(source.numbers + 4 * u32(from), sample.number);
  if (source.isBehindAll) return;
  const input = source.firstInput(from);
  if (compareInputs(input, sample.firstInput) >= 0) return;
  sample.firstInput = input;
  sample.firstRow = source.firstRow(from);
}

/** Writes the stacks of some samples behind one another. @returns how many; 0: none is left from `row` on */
function stage<S, F>(source: SampleSource, row: i32): i32 {
  let length = 0;
  let to = source.room;
  /** Stacks that are behind one another in the source, too, from the frame `first` to the frame `end`. */
  let first: u32 = 0;
  let end: u32 = 0;
  let toFirst = to;
  for (const count = source.count; row < count && length < BLOCK; row++) {
    const labelSet = load<i32>(source.labelSets + 4 * u32(row));
    if (labelSet < 0) continue;
    const start = source.first<S>(row);
    if (start !== end) {
      stageFrames<S, F>(source.stacks + first * sizeof<S>(), end - first, toFirst, source.locations);
      first = start;
      toFirst = to;
    }
    const sample = stagedAt(length++);
    sample.labelSet = labelSet;
    sample.row = row;
    sample.frames = to;
    sample.size = source.size(row);
    to += sample.size * sizeof<F>();
    end = start + sample.size;
  }
  stageFrames<S, F>(source.stacks + first * sizeof<S>(), end - first, toFirst, source.locations);
  for (let i = 0; i < length; i++) {
    const sample = stagedAt(i);
    const hash = hashStack(sample.frames, sample.size * sizeof<F>(), sample.labelSet);
    store<i32>(blockHashes + 4 * u32(i), hash);
  }
  return length;
}

/** Of stacks behind one another, at once: the processor guesses wrong at the end of most stacks. */
function stageFrames<S, F>(stacks: usize, size: u32, to: usize, locations: usize): void {
  const end = stacks + size * sizeof<S>();
  let from = stacks;
  for (; from + 3 * sizeof<S>() < end; from += 4 * sizeof<S>(), to += 4 * sizeof<F>()) {
    store<F>(to, <F>locationOf<S>(locations, from));
    store<F>(to, <F>locationOf<S>(locations, from + sizeof<S>()), sizeof<F>());
    store<F>(to, <F>locationOf<S>(locations, from + 2 * sizeof<S>()), 2 * sizeof<F>());
    store<F>(to, <F>locationOf<S>(locations, from + 3 * sizeof<S>()), 3 * sizeof<F>());
  }
  for (; from < end; from += sizeof<S>(), to += sizeof<F>()) store<F>(to, <F>locationOf<S>(locations, from));
}

/** Reads all of the records that the samples of a block will be compared with and added to: see `Table`. */
function bringRest<F>(length: i32, typeCount: i32): void {
  let sum = 0;
  for (let i = 0; i < length; i++) {
    const row = samples.likelyRow(load<i32>(blockHashes + 4 * u32(i)));
    if (row < 0) continue;
    const record = samples.at(row);
    const bytes = recordBytes<F>(stagedAt(i).size, typeCount);
    const last = bytes - UNIT;
    sum ^= load<i32>(record + min(CACHE_LINE, last));
    for (let at: u32 = 2 * CACHE_LINE; at < last; at += 2 * CACHE_LINE) {
      sum ^= load<i32>(record + at) ^ load<i32>(record + min(at + CACHE_LINE, last));
    }
    sum ^= load<i32>(record + last);
  }
  keepRead(sum);
}

function intern<F>(wanted: Staged, hash: i32, source: SampleSource): Sample {
  let slot = samples.slotOf(hash);
  for (; load<i32>(slot) !== 0; slot = samples.nextSlot(slot)) {
    if (load<i32>(slot, 4) !== hash) continue;
    const known = samples.sample(load<i32>(slot) - 1);
    if (!isSame<F>(known, wanted)) continue;
    found(known, source, wanted.row);
    return known;
  }
  const bytes = recordBytes<F>(wanted.size, source.typeCount);
  const sample = changetype<Sample>(samples.end);
  const to = sample.frames;
  for (let i: u32 = 0; i < wanted.size * sizeof<F>(); i += 8) store<u64>(to + i, load<u64>(wanted.frames + i));
  samples.takeSample(slot, hash, bytes);
  sample.labelSet = wanted.labelSet;
  sample.size = wanted.size;
  sample.firstInput = source.firstInput(wanted.row);
  sample.firstRow = source.firstRow(wanted.row);
  sample.padding = 0;
  const sums = sample.sums(source.typeCount);
  const values = source.valuesOf(wanted.row);
  for (let i: u32 = 0; i < 8 * u32(source.typeCount); i += 8) store<i64>(sums + i, load<i64>(values + i));
  if (source.numbers !== 0) store<i32>(source.numbers + 4 * u32(wanted.row), sample.number);
  return sample;
}

function isSame<F>(known: Sample, wanted: Staged): boolean {
  if (known.labelSet !== wanted.labelSet || known.size !== wanted.size) return false;
  const a = known.frames;
  const b = wanted.frames;
  const bytes = known.size * sizeof<F>();
  if (bytes >= 16) {
    const last: u32 = bytes - 16;
    for (let i: u32 = 0; i < bytes; i += STEP) {
      const one = v128.or(difference(a, b, pieceAt(i, last)), difference(a, b, pieceAt(i + 16, last)));
      const other = v128.or(difference(a, b, pieceAt(i + 32, last)), difference(a, b, pieceAt(i + 48, last)));
      if (v128.any_true(v128.or(one, other))) return false;
    }
    return true;
  }
  for (let i: u32 = 0; i < bytes; i += sizeof<F>()) if (load<F>(a + i) !== load<F>(b + i)) return false;
  return true;
}

/** Of sixteen bytes. */
function difference(a: usize, b: usize, offset: u32): v128 {
  return v128.xor(v128.load(a + offset), v128.load(b + offset));
}
