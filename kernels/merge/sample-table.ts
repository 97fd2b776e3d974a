/**
 * The records of distinct samples. A record is all that adding to a sample looks at, in one place, as every place that memory is asked
 * for costs more than what is done there: a header, its stack (rows of locations, leaf first), and the sums of its values (i64) at the end.
 *
 * Frames have 16 bits as long as there are few enough locations, and 32 bits from then on. Loops over frames are made for both: `F` is
 * u16 or u32.
 */
import { firstBytes, hashOf, mix } from './hash';
import { Table } from './table';

/** Bytes that the size of a record is a multiple of. A sample's row is its place counted in these. */
export const UNIT: u32 = 8;

const MOST_NARROW: i32 = 0x10000;

/** The beginning of a record; its frames are behind it. */
@unmanaged
export class Sample {
  hash: i32;
  /** Of the record, in `UNIT`s. */
  units: i32;
  labelSet: i32;
  /** Frames of its stack. */
  size: u32;
  /** Among all samples, by arrival. */
  number: i32;
  /** Its first appearance: the input, and the row there. */
  firstInput: i32;
  firstRow: i32;
  /** So that sums are aligned. */
  padding: i32;

  get frames(): usize {
    return changetype<usize>(this) + offsetof<Sample>();
  }

  get end(): usize {
    return changetype<usize>(this) + UNIT * u32(this.units);
  }

  sums(typeCount: i32): usize {
    return this.end - 8 * u32(typeCount);
  }
}

/** @param locationCount of the merge that the samples belong to */
export function areNarrow(locationCount: i32): boolean {
  return locationCount <= MOST_NARROW;
}

/** Bytes of a record. */
export function recordBytes<F>(size: u32, typeCount: i32): u32 {
  return offsetof<Sample>() + ((size * sizeof<F>() + UNIT - 1) & ~(UNIT - 1)) + 8 * u32(typeCount);
}

/** Bytes of a stack that are looked at without a branch. Nearly all stacks are one or two steps; at the end of each the processor guesses. */
export const STEP: u32 = 64;

/**
 * Where a piece of sixteen bytes is in a stack: the last ones again, for pieces behind them.
 * @param last where the last sixteen bytes are
 */
export function pieceAt(offset: u32, last: u32): u32 {
  return offset < last ? offset : last;
}

/** Hash of a sample, which is another one for wide frames. @param bytes of its frames */
export function hashStack(frames: usize, bytes: u32, labelSet: i32): i32 {
  let a = mix(bytes, labelSet);
  if (bytes < 8) return hashOf(mix(a, load<u64>(frames) & firstBytes(bytes)));
  if (bytes < 16) return hashOf(mix(mix(a, load<u64>(frames)), load<u64>(frames + bytes - 8)));
  // Several, since products that do not wait for each other are made at once.
  let b = a + 1;
  let c = a + 2;
  let d = a + 3;
  const last = bytes - 16;
  for (let i: u32 = 0; i < bytes; i += STEP) {
    a = mixPiece(a, frames + pieceAt(i, last));
    b = mixPiece(b, frames + pieceAt(i + 16, last));
    c = mixPiece(c, frames + pieceAt(i + 32, last));
    d = mixPiece(d, frames + pieceAt(i + 48, last));
  }
  return hashOf(mix(mix(a, b), mix(c, d)));
}

function mixPiece(state: u64, at: usize): u64 {
  return mix(mix(state, load<u64>(at)), load<u64>(at, 8));
}

@unmanaged
export class SampleTable extends Table {
  /** How many there are; 0 also when they were restored from another merge, and nobody asked. */
  private known: i32;

  get count(): i32 {
    if (this.known === 0) for (let at = this.data; at < this.end; at = changetype<Sample>(at).end) this.known++;
    return this.known;
  }

  forgetCount(): void {
    this.known = 0;
  }

  sample(row: i32): Sample {
    return changetype<Sample>(this.at(row));
  }

  /**
   * Makes room for `count` more with `frameCount` frames, and for those that there are to become wide.
   *
   * @param willBeNarrow whether frames have 16 bits even when all locations that may come are there
   */
  reserveSamples(count: i32, frameCount: u32, typeCount: i32, areNarrow: boolean, willBeNarrow: boolean): void {
    const frameBytes = u64(frameCount) * (willBeNarrow ? sizeof<u16>() : sizeof<u32>());
    const growth = areNarrow && !willBeNarrow ? u64(this.length) + u64(this.count + 1) * UNIT : 0;
    const bytes = u64(count) * (offsetof<Sample>() + UNIT + 8 * u32(typeCount)) + frameBytes + growth;
    this.reserve(u32(min<u64>(bytes, u32.MAX_VALUE)));
    if (this.reserveSlots(this.count + count)) this.fillSlots();
  }

  private fillSlots(): void {
    for (let at = this.data; at < this.end; at = changetype<Sample>(at).end) {
      this.putSlot(this.rowAt(at) + 1, load<i32>(at));
    }
  }

  private rowAt(at: usize): i32 {
    return i32((at - this.data) / UNIT);
  }

  /** Takes the record that was written behind the last one, but for its length, number and hash. @returns its row */
  takeSample(slot: usize, hash: i32, bytes: u32): i32 {
    const row = this.rowAt(this.end);
    const sample = changetype<Sample>(this.end);
    sample.hash = hash;
    sample.units = i32(bytes / UNIT);
    sample.number = this.count;
    this.known++;
    this.length += bytes;
    this.rows = i32(this.length / UNIT);
    store<i32>(slot, row + 1);
    store<i32>(slot, hash, 4);
    return row;
  }

  /** Makes all frames wide, for which there must be room. */
  widen(typeCount: i32): void {
    let growth: u32 = 0;
    for (let at = this.data; at < this.end; at = changetype<Sample>(at).end) {
      growth += recordBytes<u32>(changetype<Sample>(at).size, typeCount) - UNIT * u32(changetype<Sample>(at).units);
    }
    // From so far behind that what is written never reaches what is still to be read, not even within a record.
    let from = this.data + growth + UNIT;
    memory.copy(from, this.data, this.length);
    let to = this.data;
    this.length += growth;
    while (to < this.end) {
      const narrow = changetype<Sample>(from);
      const size = narrow.size;
      const stack = narrow.frames;
      const sums = narrow.sums(typeCount);
      const next = narrow.end;
      memory.copy(to, from, offsetof<Sample>());
      const wide = changetype<Sample>(to);
      wide.units = i32(recordBytes<u32>(size, typeCount) / UNIT);
      for (let i: u32 = 0; i < size; i++) store<u32>(wide.frames + 4 * i, load<u16>(stack + 2 * i));
      memory.copy(wide.sums(typeCount), sums, 8 * u32(typeCount));
      wide.hash = hashStack(wide.frames, 4 * size, wide.labelSet);
      to = wide.end;
      from = next;
    }
    this.rows = i32(this.length / UNIT);
    memory.fill(this.slots, 0, this.slotBytes);
    this.fillSlots();
  }
}
