/** Distinct samples: a set of labels and a stack make them what they are. The hottest of the tables: it sees every frame. */
import { firstBytes, hashOf, mix } from './hash';
import { compareInputs } from './inputs';
import { areNarrow, recordBytes, Sample, UNIT } from './sample-table';
import { locations, samples } from './state';
import { addValues } from './sums';
import { BLOCK, blockHashes, keepRead } from './table';

/** Samples to be added, and where they come from. Addresses are those of words, unless said otherwise. */
@unmanaged
export class SampleSource {
  count: i32;
  typeCount: i32;
  /** `count + 1` offsets into `stacks`, which has rows of the source's locations. */
  starts: usize;
  stacks: usize;
  /** Whether they have 16 bits; else they have 32. */
  isNarrow: boolean;
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
  /** Gets the number of each sample that is wanted; 0: not asked. */
  numbers: usize;
  /** Room for all stacks, with 32 bits a frame and eight bytes more. */
  room: usize;

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
  const first = load<u32>(source.starts + 4 * u32(row));
  const end = load<u32>(source.starts + 4 * u32(row), 4);
  if (known.size !== end - first) return false;
  const locations = source.locations;
  let from = source.stacks + first * sizeof<S>();
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
  let to = source.room;
  let length = 0;
  for (const count = source.count; row < count && length < BLOCK; ) {
    if (load<i32>(source.labelSets + 4 * u32(row)) < 0) {
      row++;
      continue;
    }
    const first = load<u32>(source.starts + 4 * u32(row));
    const begin = to;
    for (; row < count && length < BLOCK; row++) {
      const labelSet = load<i32>(source.labelSets + 4 * u32(row));
      if (labelSet < 0) break;
      const sample = stagedAt(length++);
      sample.labelSet = labelSet;
      sample.row = row;
      sample.frames = to;
      sample.size = load<u32>(source.starts + 4 * u32(row), 4) - load<u32>(source.starts + 4 * u32(row));
      to += sample.size * sizeof<F>();
    }
    stageFrames<S, F>(source.stacks + first * sizeof<S>(), u32(to - begin) / sizeof<F>(), begin, source.locations);
  }
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

/** @param bytes of its frames @returns hash of a sample */
function hashStack(frames: usize, bytes: u32, labelSet: i32): i32 {
  let a = mix(bytes, labelSet);
  if (bytes < 8) return hashOf(mix(a, load<u64>(frames) & firstBytes(bytes)));
  if (bytes < 16) return hashOf(mix(mix(a, load<u64>(frames)), load<u64>(frames + bytes - 8)));
  // Two, since products that do not wait for each other are made at once.
  let b = a;
  const last = bytes - 16;
  for (let i: u32 = 0; i < last; i += 16) {
    a = mix(a, load<u64>(frames + i));
    b = mix(b, load<u64>(frames + i, 8));
  }
  a = mix(a, load<u64>(frames + last));
  b = mix(b, load<u64>(frames + last, 8));
  return hashOf(mix(a, b));
}

/** Reads all of the records that the samples of a block will be compared with and added to: see `Table`. */
function bringRest<F>(length: i32, typeCount: i32): void {
  let sum = 0;
  for (let i = 0; i < length; i++) {
    const row = samples.likelyRow(load<i32>(blockHashes + 4 * u32(i)));
    if (row < 0) continue;
    const record = samples.at(row);
    const bytes = recordBytes<F>(stagedAt(i).size, typeCount);
    for (let at: u32 = CACHE_LINE; at < bytes; at += CACHE_LINE) sum ^= load<i32>(record + at);
    sum ^= load<i32>(record + bytes - UNIT);
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
    for (let i: u32 = 0; i < last; i += 16) if (differ(a + i, b + i)) return false;
    return !differ(a + last, b + last);
  }
  for (let i: u32 = 0; i < bytes; i += sizeof<F>()) if (load<F>(a + i) !== load<F>(b + i)) return false;
  return true;
}

/** Of sixteen bytes. */
function differ(a: usize, b: usize): boolean {
  return v128.any_true(v128.xor(v128.load(a), v128.load(b)));
}
