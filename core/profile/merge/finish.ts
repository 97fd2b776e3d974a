/**
 * The result of a merge: samples in order of first appearance, in the order of the inputs (inputs.ts); mappings, locations,
 * functions and strings numbered in order of first use from there, the main mapping first. This is google/pprof's order of the same
 * inputs, and depends on nothing else. Samples that sum up to 0 are left out, and what only they used.
 */
import { FormatError } from '../../formats/errors.js';
import type { FunctionTable, LocationTable, MappingTable, Profile, StringTable } from '../profile.js';
import { NO_ROW } from '../profile.js';
import { finishSamples } from './finish-samples.js';
import { MappingWord } from './mapping-pool.js';
import { Renumbering } from './renumbering.js';
import type { MergeState } from './state.js';

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
  checkOverflow(state);
  const { header, inputs } = state;
  const { types, frames, mainMapping } = header;
  const strings = new Renumbering(state.strings.length);
  const functions = new Renumbering(state.functions.length);
  const mappings = new Renumbering(state.mappings.length);
  const locations = new Renumbering(state.locations.length);
  const string = (row: number) => strings.row(row);
  string(0);
  const typeCount = types?.sampleTypes.length ?? 0;
  const rows = (types?.rows ?? []).map(({ type, unit }) => ({ type: string(type), unit: string(unit) }));
  if (mainMapping !== undefined) mappings.row(mainMapping.value);
  // Each table numbers the rows of those that come behind it.
  const samples = finishSamples(state, typeCount, locations, strings);
  const locationTable = finishLocations(state, locations, mappings, functions);
  const functionTable = finishFunctions(state, functions, strings);
  const mappingTable = finishMappings(state, mappings, strings);
  const comments = [...header.comments].sort((a, b) => state.strings.compare(a, b)).map(string);
  const profile = {
    sampleTypes: rows.slice(0, typeCount),
    samples,
    locations: locationTable,
    functions: functionTable,
    mappings: mappingTable,
    periodType: types?.hasPeriodType === true ? rows[typeCount] : undefined,
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
    profile: { ...profile, strings: finishStrings(state, strings) },
    notes: {
      otherFramePatterns: inputs.length - (header.patternCounts.get(pattern) ?? 0),
      profilesWithUnknownFields: header.profilesWithUnknownFields,
    },
  };
}

function checkOverflow({ samples, header }: MergeState): void {
  const { turns, words } = samples.sums;
  const types = header.types?.sampleTypes ?? [];
  for (const [value, times] of turns) {
    const type = types[value % types.length] ?? '';
    const wrapped = (BigInt(words.data[2 * value + 1]!) << 32n) | BigInt(words.data[2 * value]! >>> 0);
    const got = wrapped + BigInt(times) * 2n ** 64n;
    throw overflow(`sum of ${type.replace(' ', '/')} over the merged samples of one stack`, got);
  }
  const { durationNanos } = header;
  if (durationNanos < INT64_MIN || durationNanos > INT64_MAX) throw overflow('sum of duration_nanos', durationNanos);
}

function overflow(message: string, got: bigint): FormatError {
  return new FormatError('E_OVERFLOW', `${message} is no int64`, { section: 'Profile', got });
}

function finishLocations(
  state: MergeState,
  { length, order }: Renumbering,
  mappings: Renumbering,
  functions: Renumbering,
): LocationTable {
  const from = state.locations.columns();
  const contents = state.mappings.contents.data;
  const mapping = new Uint32Array(length);
  const address = new Int32Array(2 * length);
  const isFolded = new Uint8Array(length);
  const lineStart = new Uint32Array(length + 1);
  let lineCount = 0;
  for (let row = 0; row < length; row++) {
    const old = order[row]!;
    lineCount += from.lineStart[old + 1]! - from.lineStart[old]!;
    lineStart[row + 1] = lineCount;
    isFolded[row] = from.isFolded[old]!;
    let low = from.address[2 * old]!;
    let high = from.address[2 * old + 1]!;
    const inMapping = from.mapping[old]!;
    if (inMapping < 0) mapping[row] = NO_ROW;
    else {
      mapping[row] = mappings.row(inMapping);
      const start = inMapping * MappingWord.width + MappingWord.start;
      const sum = (low + contents[start]!) | 0;
      high = (high + contents[start + 1]! + (sum >>> 0 < low >>> 0 ? 1 : 0)) | 0;
      low = sum;
    }
    address[2 * row] = low;
    address[2 * row + 1] = high;
  }
  const lineFunction = new Uint32Array(lineCount);
  const line = new Int32Array(2 * lineCount);
  const column = new Int32Array(2 * lineCount);
  let anyColumn = 0;
  for (let row = 0, at = 0; row < length; row++) {
    const end = from.lineStart[order[row]! + 1]!;
    for (let old = from.lineStart[order[row]!]!; old < end; old++, at++) {
      lineFunction[at] = functions.row(from.lineFunction[old]!);
      line[2 * at] = from.line[2 * old]!;
      line[2 * at + 1] = from.line[2 * old + 1]!;
      const columnLow = from.column![2 * old]!;
      const columnHigh = from.column![2 * old + 1]!;
      column[2 * at] = columnLow;
      column[2 * at + 1] = columnHigh;
      anyColumn |= columnLow | columnHigh;
    }
  }
  return {
    length,
    mapping,
    address: new BigUint64Array(address.buffer),
    isFolded,
    lineStart,
    lines: {
      length: lineCount,
      function: lineFunction,
      line: new BigInt64Array(line.buffer),
      column: anyColumn === 0 ? undefined : new BigInt64Array(column.buffer),
    },
  };
}

function finishFunctions(state: MergeState, { length, order }: Renumbering, strings: Renumbering): FunctionTable {
  const from = state.functions.columns();
  const name = new Uint32Array(length);
  const systemName = new Uint32Array(length);
  const filename = new Uint32Array(length);
  const startLine = new Int32Array(2 * length);
  for (let row = 0; row < length; row++) {
    const old = order[row]!;
    name[row] = strings.row(from.name[old]!);
    systemName[row] = strings.row(from.systemName[old]!);
    filename[row] = strings.row(from.filename[old]!);
    startLine[2 * row] = from.startLine[2 * old]!;
    startLine[2 * row + 1] = from.startLine[2 * old + 1]!;
  }
  return { length, name, systemName, filename, startLine: new BigInt64Array(startLine.buffer) };
}

function finishMappings(state: MergeState, { length, order }: Renumbering, strings: Renumbering): MappingTable {
  const { data } = state.mappings.contents;
  const wide = (word: number) => {
    const column = new Int32Array(2 * length);
    for (let i = 0; i < 2 * length; i++) column[i] = data[order[i >>> 1]! * MappingWord.width + word + (i & 1)]!;
    return new BigUint64Array(column.buffer);
  };
  const filename = new Uint32Array(length);
  const buildId = new Uint32Array(length);
  const flags = new Uint8Array(length);
  for (let row = 0; row < length; row++) {
    const at = order[row]! * MappingWord.width;
    filename[row] = strings.row(data[at + MappingWord.filename]!);
    buildId[row] = strings.row(data[at + MappingWord.buildId]!);
    flags[row] = data[at + MappingWord.flags]!;
  }
  return {
    length,
    memoryStart: wide(MappingWord.start),
    memoryLimit: wide(MappingWord.limit),
    fileOffset: wide(MappingWord.offset),
    filename,
    buildId,
    flags,
  };
}

function finishStrings(state: MergeState, { length, order }: Renumbering): StringTable {
  const { bytes: source } = state.strings;
  const from = state.strings.starts.data;
  const starts = new Uint32Array(length + 1);
  let end = 0;
  for (let row = 0; row < length; row++) {
    end += from[order[row]! + 1]! - from[order[row]!]!;
    starts[row + 1] = end;
  }
  const bytes = new Uint8Array(end);
  // Strings that followed one another before are copied together.
  for (let row = 0; row < length; ) {
    const first = row;
    do row++;
    while (row < length && order[row] === order[row - 1]! + 1);
    bytes.set(source.subarray(from[order[first]!]!, from[order[row - 1]! + 1]!), starts[first]!);
  }
  return { length, bytes, starts };
}
