/** Distinct samples: a set of labels and a stack make them what they are. The hottest of the tables: it sees every frame. */
import { newStarts, Words } from './growing.js';
import { finishHash, HashIndex, K1, K2, K3, K4 } from './hash-index.js';
import type { Inputs } from './inputs.js';
import { Sums } from './sums.js';

export interface SampleColumns {
  /** Which samples, in order: rows of `stackStart`, `values` and `firsts`. */
  readonly wanted: Int32Array;
  /** Row in the pool of the set of labels, for each that is wanted. */
  readonly labelSets: Int32Array;
  /** Offsets into `stackLocations`. */
  readonly stackStart: Int32Array;
  readonly stackLocations: Int32Array;
  /** Two words a value, `typeCount` values a sample. */
  readonly values: Int32Array;
  readonly typeCount: number;
  /** The input of the merge that they are from, or the first of those that they are from. */
  readonly input: number;
  /** By sample: its first appearance, as the input, counted from `input`, and the row there. Absent: `input`, and its own row. */
  readonly firsts?: Int32Array | undefined;
}

/**
 * Samples that are looked up side by side: a table of many megabytes answers a lookup only after several trips to memory, but many
 * lookups' trips overlap.
 */
const BLOCK = 64;

export class SamplePool {
  readonly labelSet: Words;
  readonly stackStart: Words;
  readonly stackLocations: Words;
  /** Input, and row there, of each sample's first appearance. */
  readonly firsts: Words;
  /** As many a sample as there are sample types. */
  readonly sums: Sums;
  readonly index: HashIndex;
  readonly #ends = new Int32Array(BLOCK);
  readonly #hashes = new Int32Array(BLOCK);
  /** Keeps the reads that only bring memory near from being optimized away. */
  #touched = 0;

  constructor(
    [labelSet, stackStart, stackLocations, firsts, sums, hashes]: readonly Words[] = [],
    turns?: Map<number, number>,
  ) {
    this.labelSet = labelSet ?? new Words();
    this.stackStart = stackStart ?? newStarts();
    this.stackLocations = stackLocations ?? new Words();
    this.firsts = firsts ?? new Words();
    this.sums = new Sums(sums, turns);
    this.index = new HashIndex(hashes);
  }

  /** For the constructor. */
  get parts(): readonly Words[] {
    const { labelSet, stackStart, stackLocations, firsts, sums, index } = this;
    return [labelSet, stackStart, stackLocations, firsts, sums.words, index.hashes];
  }

  get length(): number {
    return this.index.length;
  }

  /**
   * @param locations the pool's rows of their locations
   * @param inputs the order of inputs decides which appearance is the first; absent: all those in the pool are before these
   * @returns row of each sample that is wanted
   */
  add(samples: SampleColumns, locations: Int32Array, inputs: Inputs | undefined): Int32Array {
    const { index } = this;
    const { wanted } = samples;
    const count = wanted.length;
    if (index.length === 0) this.#reserve(samples);
    else index.reserve(0);
    const rows = new Int32Array(count);
    const hashes = this.#hashes;
    let next = 0;
    for (let i = 0; i < count; ) {
      // Profiles of one program may have samples in the same order; those of one moment have.
      for (; i < count && next < index.length && this.#isAt(next, samples, i, locations); i++, next++) {
        this.#sumUp(next, samples, wanted[i]!, inputs);
        rows[i] = next;
      }
      const begin = i;
      const end = Math.min(begin + BLOCK, count);
      this.#stage(samples, locations, begin, end);
      this.#bring(end - begin);
      let from = this.stackLocations.length;
      for (; i < end; i++) {
        const to = this.#ends[i - begin]!;
        const labelSet = samples.labelSets[i]!;
        const hash = hashes[i - begin]!;
        const slot = this.#find(hash, labelSet, from, to);
        next = index.slots[2 * slot]! - 1;
        if (next < 0) {
          next = index.insert(slot, hash);
          this.#append(labelSet, from, to, samples, wanted[i]!);
        } else this.#sumUp(next, samples, wanted[i]!, inputs);
        rows[i] = next++;
        from = to;
      }
    }
    return rows;
  }

  /** For the first samples: they say how much there is. */
  #reserve({ wanted, stackStart, typeCount }: SampleColumns): void {
    const count = wanted.length;
    let frames = 0;
    for (let i = 0; i < count; i++) frames += stackStart[wanted[i]! + 1]! - stackStart[wanted[i]!]!;
    this.stackLocations.reserve(frames);
    for (const words of [this.labelSet, this.stackStart]) words.reserve(count);
    this.firsts.reserve(2 * count);
    this.sums.words.reserve(2 * typeCount * count);
    this.index.reserve(count);
  }

  #isAt(
    row: number,
    { wanted, labelSets, stackStart, stackLocations }: SampleColumns,
    i: number,
    locations: Int32Array,
  ): boolean {
    if (this.labelSet.data[row] !== labelSets[i]) return false;
    const stacks = this.stackLocations.data;
    const start = this.stackStart.data[row]!;
    const from = stackStart[wanted[i]!]!;
    const depth = stackStart[wanted[i]! + 1]! - from;
    if (this.stackStart.data[row + 1]! - start !== depth) return false;
    for (let frame = 0; frame < depth; frame++) {
      if (stacks[start + frame] !== locations[stackLocations[from + frame]!]) return false;
    }
    return true;
  }

  #sumUp(row: number, samples: SampleColumns, from: number, inputs: Inputs | undefined): void {
    const { values, typeCount } = samples;
    this.sums.add(typeCount * row, values, typeCount * from, typeCount);
    const { data } = this.firsts;
    if (inputs === undefined || inputs.compare(firstInput(samples, from), data[2 * row]!) >= 0) return;
    data[2 * row] = firstInput(samples, from);
    data[2 * row + 1] = firstRow(samples, from);
  }

  /** Writes the stacks of some samples behind all others', and their hashes and ends aside. */
  #stage(samples: SampleColumns, locations: Int32Array, begin: number, end: number): void {
    const { wanted, labelSets, stackStart, stackLocations } = samples;
    const ends = this.#ends;
    const hashes = this.#hashes;
    let frames = 0;
    for (let i = begin; i < end; i++) frames += stackStart[wanted[i]! + 1]! - stackStart[wanted[i]!]!;
    this.stackLocations.reserve(frames);
    const stacks = this.stackLocations.data;
    let to = this.stackLocations.length;
    for (let i = begin; i < end; i++) {
      let from = stackStart[wanted[i]!]!;
      const last = stackStart[wanted[i]! + 1]!;
      let sum = (last - from + Math.imul(labelSets[i]!, K1)) | 0;
      // By fours: the products of one round do not wait for each other.
      for (; from + 3 < last; from += 4, to += 4) {
        const a = locations[stackLocations[from]!]!;
        const b = locations[stackLocations[from + 1]!]!;
        const c = locations[stackLocations[from + 2]!]!;
        const d = locations[stackLocations[from + 3]!]!;
        stacks[to] = a;
        stacks[to + 1] = b;
        stacks[to + 2] = c;
        stacks[to + 3] = d;
        sum = (Math.imul(sum, K4) + Math.imul(a, K3) + Math.imul(b, K2) + Math.imul(c, K1) + d) | 0;
      }
      for (; from < last; from++, to++) {
        const location = locations[stackLocations[from]!]!;
        stacks[to] = location;
        sum = (Math.imul(sum, K1) + location) | 0;
      }
      ends[i - begin] = to;
      hashes[i - begin] = finishHash(sum);
    }
  }

  /** Reads what `#find` is going to read for the samples that were staged, so that it is in the processor's cache by then. */
  #bring(count: number): void {
    const { slots, mask } = this.index;
    const hashes = this.#hashes;
    const starts = this.stackStart.data;
    const stacks = this.stackLocations.data;
    let touched = 0;
    for (let i = 0; i < count; i++) touched ^= slots[2 * (hashes[i]! & mask)]!;
    for (let i = 0; i < count; i++) touched ^= starts[slots[2 * (hashes[i]! & mask)]!]!;
    for (let i = 0; i < count; i++) {
      // Row + 1 of `starts` is where the row's stack ends. Long stacks take more than one line of the cache.
      const end = starts[slots[2 * (hashes[i]! & mask)]!]!;
      touched ^= end > 16 ? stacks[end - 1]! ^ stacks[end - 17]! : 0;
    }
    this.#touched ^= touched;
  }

  /** @returns the slot of the sample whose stack was staged at `[from, to)`, or the free one where it belongs */
  #find(hash: number, labelSet: number, from: number, to: number): number {
    const { slots, mask } = this.index;
    const labelSets = this.labelSet.data;
    const starts = this.stackStart.data;
    const stacks = this.stackLocations.data;
    let slot = hash & mask;
    for (; slots[2 * slot] !== 0; slot = (slot + 1) & mask) {
      if (slots[2 * slot + 1] !== hash) continue;
      const row = slots[2 * slot]! - 1;
      const start = starts[row]!;
      if (labelSets[row] !== labelSet || starts[row + 1]! - start !== to - from) continue;
      let i = from;
      let other = start;
      while (i < to && stacks[i] === stacks[other]) {
        i++;
        other++;
      }
      if (i === to) return slot;
    }
    return slot;
  }

  /** Takes the stack that was staged at `[from, to)`, right behind the last. */
  #append(labelSet: number, from: number, to: number, samples: SampleColumns, source: number): void {
    const stacks = this.stackLocations.data;
    let end = this.stackLocations.length;
    if (from === end) end = to;
    else for (let i = from; i < to; i++, end++) stacks[end] = stacks[i]!;
    this.stackLocations.length = end;
    this.stackStart.push(end);
    this.labelSet.push(labelSet);
    this.firsts.push(firstInput(samples, source));
    this.firsts.push(firstRow(samples, source));
    this.sums.append(samples.values, samples.typeCount * source, samples.typeCount);
  }
}

function firstInput({ input, firsts }: SampleColumns, row: number): number {
  return firsts === undefined ? input : input + firsts[2 * row]!;
}

function firstRow({ firsts }: SampleColumns, row: number): number {
  return firsts === undefined ? row : firsts[2 * row + 1]!;
}
