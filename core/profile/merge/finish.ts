/**
 * The result of a merge: samples in order of first appearance, in the order of the inputs (inputs.ts); mappings, locations,
 * functions and strings numbered in order of first use from there, the main mapping first. This is google/pprof's order of the same
 * inputs, and depends on nothing else. Samples that sum up to 0 are left out, and what only they used.
 */
import { FormatError } from '../../formats/errors.js';
import type { FunctionTable, LocationTable, MappingTable, Profile, SampleTable, StringTable } from '../profile.js';
import { NO_ROW } from '../profile.js';
import { sortLabels } from './labels.js';
import { LABEL_WIDTH, LINE_WIDTH, LocationWord, MappingWord, type MergeState } from './state.js';

const INT64_MIN = -(2n ** 63n);
const INT64_MAX = 2n ** 63n - 1n;

/** What was lost or decided, for the run's summary. */
export interface MergeNotes {
  /** Inputs whose drop_frames or keep_frames are not those of the result. */
  readonly otherFramePatterns: number;
  readonly profilesWithUnknownFields: number;
}

/** @throws FormatError E_OVERFLOW when a sum is no int64 */
export function finishMerge(state: MergeState): { readonly profile: Profile; readonly notes: MergeNotes } {
  return new Finishing(state).run();
}

/** Rows in order of first use. */
class Renumbering {
  /** New row + 1 by old row; 0 is not used so far. */
  readonly #rows: Uint32Array;
  /** Old rows, by new row. */
  readonly order: Uint32Array;
  length = 0;

  constructor(size: number) {
    this.#rows = new Uint32Array(size);
    this.order = new Uint32Array(size);
  }

  row(old: number): number {
    const known = this.#rows[old]!;
    if (known !== 0) return known - 1;
    this.order[this.length] = old;
    this.#rows[old] = ++this.length;
    return this.length - 1;
  }
}

class Finishing {
  readonly #state: MergeState;
  readonly #typeCount: number;
  readonly #strings: Renumbering;
  readonly #functions: Renumbering;
  readonly #mappings: Renumbering;
  readonly #locations: Renumbering;

  constructor(state: MergeState) {
    this.#state = state;
    this.#typeCount = state.header.types?.sampleTypes.length ?? 0;
    this.#strings = new Renumbering(state.strings.length);
    this.#functions = new Renumbering(state.functions.length);
    this.#mappings = new Renumbering(state.mappings.length);
    this.#locations = new Renumbering(state.locations.length);
    this.#strings.row(0);
  }

  run(): { readonly profile: Profile; readonly notes: MergeNotes } {
    this.#checkOverflow();
    const { header, inputs } = this.#state;
    const { types, frames, mainMapping } = header;
    const string = (row: number) => this.#strings.row(row);
    const rows = (types?.rows ?? []).map(({ type, unit }) => ({ type: string(type), unit: string(unit) }));
    if (mainMapping !== undefined) this.#mappings.row(mainMapping.value);
    const samples = this.#samples(this.#order());
    const locations = this.#locationTable();
    const functions = this.#functionTable();
    const mappings = this.#mappingTable();
    const comments = [...header.comments].sort((a, b) => this.#compareStrings(a, b)).map(string);
    const profile = {
      sampleTypes: rows.slice(0, this.#typeCount),
      samples,
      locations,
      functions,
      mappings,
      periodType: types?.hasPeriodType === true ? rows[this.#typeCount] : undefined,
      period: header.period,
      timeNanos: header.timeNanos,
      durationNanos: header.durationNanos,
      comments: Uint32Array.from(comments),
      defaultSampleType: string(header.defaultSampleType?.value ?? 0),
      dropFrames: string(frames?.value.drop ?? 0),
      keepFrames: string(frames?.value.keep ?? 0),
      docUrl: string(header.docUrl?.value ?? 0),
    };
    const pattern = `${frames?.value.drop ?? 0} ${frames?.value.keep ?? 0}`;
    return {
      profile: { ...profile, strings: this.#stringTable() },
      notes: {
        otherFramePatterns: inputs.length - (header.patternCounts.get(pattern) ?? 0),
        profilesWithUnknownFields: header.profilesWithUnknownFields,
      },
    };
  }

  #checkOverflow(): void {
    const { sums, header } = this.#state;
    for (const value of sums.turns.keys()) {
      const type = header.types?.sampleTypes[value % this.#typeCount] ?? '';
      const words = sums.words.data;
      const wrapped = (BigInt(words[2 * value + 1]! | 0) << 32n) | BigInt(words[2 * value]!);
      const got = wrapped + BigInt(sums.turns.get(value)!) * 2n ** 64n;
      throw overflow(`sum of ${type.replace(' ', '/')} over the merged samples of one stack`, got);
    }
    const { durationNanos } = header;
    if (durationNanos < INT64_MIN || durationNanos > INT64_MAX) throw overflow('sum of duration_nanos', durationNanos);
  }

  /** Samples that are not 0, by first appearance: sorted by row, then, stable, by the rank of the input. */
  #order(): Uint32Array {
    const { samples, sums, firsts, inputs } = this.#state;
    const { data } = sums.words;
    const width = 2 * this.#typeCount;
    let live: Uint32Array = new Uint32Array(samples.length);
    let count = 0;
    for (let row = 0; row < samples.length; row++) {
      let any = 0;
      for (let i = row * width; i < (row + 1) * width; i++) any |= data[i]!;
      if (any !== 0) live[count++] = row;
    }
    live = live.subarray(0, count);
    const ranks = inputs.ranks();
    const byRow = countingSort(live, (sample) => firsts.data[2 * sample + 1]!);
    return countingSort(byRow, (sample) => ranks[firsts.data[2 * sample]!]!);
  }

  #samples(order: Uint32Array): SampleTable {
    const { samples, labelSets, sums } = this.#state;
    const { length } = order;
    const words = samples.words.data;
    const starts = samples.starts.data;
    const stackStart = new Uint32Array(length + 1);
    const labelStart = new Uint32Array(length + 1);
    for (let row = 0; row < length; row++) {
      const start = starts[order[row]!]!;
      const set = words[start]!;
      stackStart[row + 1] = stackStart[row]! + starts[order[row]! + 1]! - start - 1;
      const labelWords = labelSets.starts.data[set + 1]! - labelSets.starts.data[set]!;
      labelStart[row + 1] = labelStart[row]! + labelWords / LABEL_WIDTH;
    }
    const stackLocations = new Uint32Array(stackStart[length]!);
    const labelCount = labelStart[length]!;
    const labels = {
      length: labelCount,
      key: new Uint32Array(labelCount),
      str: new Uint32Array(labelCount),
      num: new Uint32Array(2 * labelCount),
      numUnit: new Uint32Array(labelCount),
    };
    const width = 2 * this.#typeCount;
    const values = new Uint32Array(length * width);
    const keyOrder = this.#labelKeyOrder();
    const locations = this.#locations;
    for (let row = 0; row < length; row++) {
      const sample = order[row]!;
      for (let i = 0; i < width; i++) values[row * width + i] = sums.words.data[sample * width + i]!;
      const start = starts[sample]!;
      const from = stackStart[row]!;
      const to = stackStart[row + 1]!;
      for (let i = from; i < to; i++) stackLocations[i] = locations.row(words[start + 1 + i - from]!);
      if (labelStart[row] === labelStart[row + 1]) continue;
      this.#writeLabels(words[start]!, labelStart[row]!, labels, keyOrder);
    }
    return {
      length,
      stackStart,
      stackLocations,
      values: new BigInt64Array(values.buffer),
      labelStart,
      labels: { ...labels, num: new BigInt64Array(labels.num.buffer) },
    };
  }

  #writeLabels(
    set: number,
    at: number,
    labels: { key: Uint32Array; str: Uint32Array; num: Uint32Array; numUnit: Uint32Array },
    keyOrder: (key: number) => number,
  ): void {
    const { labelSets } = this.#state;
    const start = labelSets.starts.data[set]!;
    const end = labelSets.starts.data[set + 1]!;
    const words = labelSets.words.data.slice(start, end);
    sortLabels(words, words.length / LABEL_WIDTH, keyOrder);
    for (let i = 0, label = at; i < words.length; i += LABEL_WIDTH, label++) {
      labels.key[label] = this.#strings.row(words[i]!);
      labels.str[label] = this.#strings.row(words[i + 1]!);
      labels.num[2 * label] = words[i + 2]!;
      labels.num[2 * label + 1] = words[i + 3]!;
      labels.numUnit[label] = this.#strings.row(words[i + 4]!);
    }
  }

  /** Place of each label key in the order of their bytes. */
  #labelKeyOrder(): (key: number) => number {
    const keys = new Set<number>();
    const { data, length } = this.#state.labelSets.words;
    for (let i = 0; i < length; i += LABEL_WIDTH) keys.add(data[i]!);
    const sorted = [...keys].sort((a, b) => this.#compareStrings(a, b));
    const order = new Map(sorted.map((key, place) => [key, place]));
    return (key) => order.get(key)!;
  }

  #locationTable(): LocationTable {
    const { locations, mappingContents: contents } = this.#state;
    const { length, order } = this.#locations;
    const words = locations.words.data;
    const mapping = new Uint32Array(length);
    const address = new Uint32Array(2 * length);
    const isFolded = new Uint8Array(length);
    const lineStart = new Uint32Array(length + 1);
    for (let row = 0; row < length; row++) {
      const start = locations.starts.data[order[row]!]!;
      const count = locations.starts.data[order[row]! + 1]! - start;
      lineStart[row + 1] = lineStart[row]! + (count - LocationWord.lines) / LINE_WIDTH;
      isFolded[row] = words[start + LocationWord.isFolded]!;
      let lo = words[start + LocationWord.relativeLo]!;
      let hi = words[start + LocationWord.relativeHi]!;
      const inMapping = words[start + LocationWord.mapping]!;
      if (inMapping === 0) mapping[row] = NO_ROW;
      else {
        mapping[row] = this.#mappings.row(inMapping - 1);
        const content = (inMapping - 1) * MappingWord.width;
        lo += contents.data[content + MappingWord.startLo]!;
        hi += contents.data[content + MappingWord.startHi]! + (lo > 0xffffffff ? 1 : 0);
      }
      address[2 * row] = lo;
      address[2 * row + 1] = hi;
    }
    return {
      length,
      mapping,
      address: new BigUint64Array(address.buffer),
      isFolded,
      lineStart,
      lines: this.#lines(lineStart),
    };
  }

  #lines(lineStart: Uint32Array): LocationTable['lines'] {
    const { locations } = this.#state;
    const { length: locationCount, order } = this.#locations;
    const words = locations.words.data;
    const length = lineStart[locationCount]!;
    const lineFunction = new Uint32Array(length);
    const line = new Uint32Array(2 * length);
    const column = new Uint32Array(2 * length);
    let anyColumn = 0;
    for (let row = 0; row < locationCount; row++) {
      let at = locations.starts.data[order[row]!]! + LocationWord.lines;
      for (let i = lineStart[row]!; i < lineStart[row + 1]!; i++, at += LINE_WIDTH) {
        lineFunction[i] = this.#functions.row(words[at]!);
        line[2 * i] = words[at + 1]!;
        line[2 * i + 1] = words[at + 2]!;
        column[2 * i] = words[at + 3]!;
        column[2 * i + 1] = words[at + 4]!;
        anyColumn |= words[at + 3]! | words[at + 4]!;
      }
    }
    return {
      length,
      function: lineFunction,
      line: new BigInt64Array(line.buffer),
      column: anyColumn === 0 ? undefined : new BigInt64Array(column.buffer),
    };
  }

  #functionTable(): FunctionTable {
    const { functions } = this.#state;
    const { length, order } = this.#functions;
    const table = {
      length,
      name: new Uint32Array(length),
      systemName: new Uint32Array(length),
      filename: new Uint32Array(length),
    };
    const startLine = new Uint32Array(2 * length);
    for (let row = 0; row < length; row++) {
      const at = functions.starts.data[order[row]!]!;
      const words = functions.words.data;
      table.name[row] = this.#strings.row(words[at]!);
      table.systemName[row] = this.#strings.row(words[at + 1]!);
      table.filename[row] = this.#strings.row(words[at + 2]!);
      startLine[2 * row] = words[at + 3]!;
      startLine[2 * row + 1] = words[at + 4]!;
    }
    return { ...table, startLine: new BigInt64Array(startLine.buffer) };
  }

  #mappingTable(): MappingTable {
    const { length, order } = this.#mappings;
    const wide = {
      start: new Uint32Array(2 * length),
      limit: new Uint32Array(2 * length),
      offset: new Uint32Array(2 * length),
    };
    const filename = new Uint32Array(length);
    const buildId = new Uint32Array(length);
    const flags = new Uint8Array(length);
    for (let row = 0; row < length; row++) {
      const key = this.#state.mappings.starts.data[order[row]!]!;
      const keyWords = this.#state.mappings.words.data;
      const words = this.#state.mappingContents.data;
      const at = order[row]! * MappingWord.width;
      wide.start.set(words.subarray(at + MappingWord.startLo, at + MappingWord.startHi + 1), 2 * row);
      wide.limit.set(words.subarray(at + MappingWord.limitLo, at + MappingWord.limitHi + 1), 2 * row);
      wide.offset.set(keyWords.subarray(key + 2, key + 4), 2 * row);
      filename[row] = this.#strings.row(words[at + MappingWord.filename]!);
      buildId[row] = this.#strings.row(words[at + MappingWord.buildId]!);
      flags[row] = words[at + MappingWord.flags]!;
    }
    return {
      length,
      memoryStart: new BigUint64Array(wide.start.buffer),
      memoryLimit: new BigUint64Array(wide.limit.buffer),
      fileOffset: new BigUint64Array(wide.offset.buffer),
      filename,
      buildId,
      flags,
    };
  }

  #stringTable(): StringTable {
    const { strings } = this.#state;
    const { length, order } = this.#strings;
    const from = strings.starts.data;
    const starts = new Uint32Array(length + 1);
    for (let row = 0; row < length; row++) {
      starts[row + 1] = starts[row]! + from[order[row]! + 1]! - from[order[row]!]!;
    }
    const bytes = new Uint8Array(starts[length]!);
    for (let row = 0; row < length; row++) {
      const source = from[order[row]!]!;
      const to = starts[row]!;
      const count = starts[row + 1]! - to;
      if (count < 40) for (let i = 0; i < count; i++) bytes[to + i] = strings.bytes[source + i]!;
      else bytes.set(strings.bytes.subarray(source, source + count), to);
    }
    return { length, bytes, starts };
  }

  /** By bytes. */
  #compareStrings(a: number, b: number): number {
    const { bytes, starts } = this.#state.strings;
    let i = starts.data[a]!;
    let j = starts.data[b]!;
    const endA = starts.data[a + 1]!;
    const endB = starts.data[b + 1]!;
    for (; i < endA && j < endB; i++, j++) if (bytes[i] !== bytes[j]) return bytes[i]! - bytes[j]!;
    return endA - i - (endB - j);
  }
}

function overflow(message: string, got: bigint): FormatError {
  return new FormatError('E_OVERFLOW', `${message} is no int64`, { section: 'Profile', got });
}

/** Stable. @param key from 0 to a number that a table of may be made */
function countingSort(rows: Uint32Array, key: (row: number) => number): Uint32Array {
  let max = 0;
  for (let i = 0; i < rows.length; i++) max = Math.max(max, key(rows[i]!));
  const starts = new Uint32Array(max + 2);
  for (let i = 0; i < rows.length; i++) starts[key(rows[i]!) + 1]!++;
  for (let i = 1; i < starts.length; i++) starts[i]! += starts[i - 1]!;
  const sorted = new Uint32Array(rows.length);
  for (let i = 0; i < rows.length; i++) sorted[starts[key(rows[i]!)]!++] = rows[i]!;
  return sorted;
}
