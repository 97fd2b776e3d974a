/** Adds one profile to the merge: its tables as profile.ts of core/profile has them, column by column. */
import { allocate, release } from '../memory';
import { AddedRows, newRows } from './added-rows';
import { internFunctions, newFunction } from './functions';
import { addInput, inputCount, isLastInput, reserveInput } from './inputs';
import { forgetSets, knownSet, rememberSet } from './known-sets';
import { internEmptySet, internLabelSets, LABEL_BYTES, Label } from './label-sets';
import { internLocations, LINE_BYTES, Line, newLocation } from './locations';
import { internMapping, newMapping } from './mappings';
import { areNarrow } from './sample-table';
import { addSamples, roomBytes, SampleSource } from './samples';
import { functions, labelSets, labels, lines, locations, mappings, samples, stringBytes, strings } from './state';
import { addStrings } from './strings';
import { BLOCK } from './table';

/** Addresses of columns, and how long they are. `add.ts` of core/profile/merge writes these words, in this order. */
@unmanaged
export class ProfileColumns {
  /** See inputs.ts; 0: it is a further piece of the last one. */
  input: usize;
  /** Rows of the input's samples in its pieces before this one. */
  samplesBefore: i32;
  strings: i32;
  stringBytes: usize;
  stringStarts: usize;
  functions: i32;
  functionName: usize;
  functionSystemName: usize;
  functionFilename: usize;
  functionStartLine: usize;
  mappings: i32;
  memoryStart: usize;
  memoryLimit: usize;
  fileOffset: usize;
  mappingFilename: usize;
  mappingBuildId: usize;
  mappingFlags: usize;
  locations: i32;
  locationMapping: usize;
  address: usize;
  isFolded: usize;
  lineStart: usize;
  lineFunction: usize;
  line: usize;
  /** 0: all are 0. */
  column: usize;
  samples: i32;
  typeCount: i32;
  stackStart: usize;
  stackLocations: usize;
  values: usize;
  labelStart: usize;
  labelKey: usize;
  labelStr: usize;
  labelNum: usize;
  labelNumUnit: usize;
}

/** What of a profile has which row in the merge: words. */
@unmanaged
class Rows {
  strings: usize;
  functions: usize;
  mappings: usize;
  /** Before they are added, not 0 for those that are wanted. */
  locations: usize;
  /** By sample; −1 for those that are not wanted. */
  labelSets: usize;
}

const rows = changetype<Rows>(memory.data(offsetof<Rows>(), 4));
const source = changetype<SampleSource>(memory.data(offsetof<SampleSource>(), 4));

/** Words, of a block of sets of labels: where each one ends in `labels`, the sample that has it, its row. */
const setEnds: usize = memory.data(64 * 4, 4);
const setSamples: usize = memory.data(64 * 4, 4);
const setRows: usize = memory.data(64 * 4, 4);

/** Either all of it is added, or there is no room and nothing is. */
export function addProfile(from: ProfileColumns): AddedRows {
  const added = newRows(from.strings, from.mappings, 0);
  rows.strings = added.strings;
  rows.mappings = added.mappings;
  rows.functions = allocate(4 * u32(from.functions));
  rows.locations = allocate(4 * u32(from.locations));
  rows.labelSets = allocate(4 * u32(from.samples));
  const room = roomBytes(load<u32>(from.stackStart + 4 * u32(from.samples)), longestStack(from));
  source.room = allocate(room);
  makeRoom(from, wantSamples(from));
  wantLocations(from);
  const input = from.input === 0 ? inputCount() - 1 : addInput(from.input);
  addStrings(from.strings, from.stringBytes, from.stringStarts, rows.strings);
  addFunctions(from);
  addMappings(from, input);
  const wereNarrow = areNarrow(locations.rows);
  addLocations(from);
  if (wereNarrow && !areNarrow(locations.rows)) samples.widen(from.typeCount);
  addLabelSets(from);
  source.count = from.samples;
  source.typeCount = from.typeCount;
  source.records = 0;
  source.starts = from.stackStart;
  source.stacks = from.stackLocations;
  source.isNarrow = false;
  source.locations = rows.locations;
  source.labelSets = rows.labelSets;
  source.values = from.values;
  source.input = input;
  source.rowsBefore = from.samplesBefore;
  source.isBehindAll = isLastInput(input);
  source.numbers = 0;
  addSamples(source);
  release(source.room, room);
  release(rows.functions, 4 * u32(from.functions));
  release(rows.locations, 4 * u32(from.locations));
  release(rows.labelSets, 4 * u32(from.samples));
  return added;
}

/**
 * Samples that are all 0 are not wanted, as google/pprof leaves those out.
 *
 * @returns how many of the wanted ones have labels
 */
function wantSamples(from: ProfileColumns): i32 {
  let withLabels = 0;
  let value = from.values;
  for (let row = 0; row < from.samples; row++) {
    const at = 4 * u32(row);
    let any: i64 = 0;
    for (const end = value + 8 * u32(from.typeCount); value < end; value += 8) any |= load<i64>(value);
    store<i32>(rows.labelSets + at, any === 0 ? -1 : 0);
    const hasLabels = load<i32>(from.labelStart + at) !== load<i32>(from.labelStart + at, 4);
    withLabels += i32(any !== 0) & i32(hasLabels);
  }
  return withLabels;
}

/**
 * Nor are locations that only unwanted samples have: they would say that a mapping is used. Where no location is in another mapping than
 * the main one, that does not matter, since results have only what samples lead to.
 */
function wantLocations(from: ProfileColumns): void {
  const isInMain = areInMainMapping(from);
  memory.fill(rows.locations, u8(isInMain), 4 * u32(from.locations));
  if (isInMain) return;
  let first: u32 = 0;
  for (let row = 0; row < from.samples; row++) {
    const at = 4 * u32(row);
    if (load<i32>(rows.labelSets + at) === 0) continue;
    wantFrames(from.stackLocations, first, load<u32>(from.stackStart + at));
    first = load<u32>(from.stackStart + at, 4);
  }
  wantFrames(from.stackLocations, first, load<u32>(from.stackStart + 4 * u32(from.samples)));
}

/** Or in none. */
function areInMainMapping(from: ProfileColumns): boolean {
  let largest: i32 = 0;
  const end = from.locationMapping + 4 * u32(from.locations);
  for (let at = from.locationMapping; at < end; at += 4) largest = max(largest, load<i32>(at));
  return largest === 0;
}

/** Frames `[first, end)`: of many samples at once, since the processor guesses wrong at the end of most stacks. */
function wantFrames(stacks: usize, first: u32, end: u32): void {
  const wanted = rows.locations;
  const behind = stacks + 4 * usize(end);
  let frame = stacks + 4 * usize(first);
  for (; frame + 12 < behind; frame += 16) {
    store<i32>(wanted + 4 * load<u32>(frame), 1);
    store<i32>(wanted + 4 * load<u32>(frame, 4), 1);
    store<i32>(wanted + 4 * load<u32>(frame, 8), 1);
    store<i32>(wanted + 4 * load<u32>(frame, 12), 1);
  }
  for (; frame < behind; frame += 4) store<i32>(wanted + 4 * load<u32>(frame), 1);
}

function longestStack(from: ProfileColumns): u32 {
  let longest: u32 = 0;
  const last = from.stackStart + 4 * u32(from.samples);
  for (let at = from.stackStart; at < last; at += 4) longest = max<u32>(longest, load<u32>(at, 4) - load<u32>(at));
  return longest;
}

/** For all that the profile may bring, as if none of it was there. */
function makeRoom(from: ProfileColumns, withLabels: i32): void {
  reserveInput();
  strings.reserveRows(from.strings);
  stringBytes.reserve(load<u32>(from.stringStarts + 4 * u32(from.strings)));
  functions.reserveRows(from.functions);
  mappings.reserveRows(from.mappings);
  locations.reserveRows(from.locations);
  lines.reserve(LINE_BYTES * load<u32>(from.lineStart + 4 * u32(from.locations)));
  labelSets.reserveRows(withLabels + 1);
  labels.reserve(LABEL_BYTES * load<u32>(from.labelStart + 4 * u32(from.samples)));
  const frameCount = load<u32>(from.stackStart + 4 * u32(from.samples));
  const willBeNarrow = areNarrow(locations.rows + from.locations);
  samples.reserveSamples(from.samples, frameCount, from.typeCount, areNarrow(locations.rows), willBeNarrow);
}

function string(row: usize): i32 {
  return load<i32>(rows.strings + 4 * load<u32>(row));
}

function addFunctions(from: ProfileColumns): void {
  for (let row = 0; row < from.functions; row++) {
    const at = 4 * u32(row);
    const added = newFunction(row);
    added.name = string(from.functionName + at);
    added.systemName = string(from.functionSystemName + at);
    added.filename = string(from.functionFilename + at);
    added.startLine = load<i64>(from.functionStartLine + 2 * at);
  }
  internFunctions(from.functions, rows.functions);
}

/** Row 0 is the main program's, and kept; of the others those that are used: unused ones would say where the file was loaded. */
function addMappings(from: ProfileColumns, input: i32): void {
  memory.fill(rows.mappings, 0, 4 * u32(from.mappings));
  for (let row = 0; row < from.locations; row++) {
    const mapping = load<i32>(from.locationMapping + 4 * u32(row));
    if (mapping >= 0 && load<i32>(rows.locations + 4 * u32(row)) !== 0) store<i32>(rows.mappings + 4 * u32(mapping), 1);
  }
  for (let row = 0; row < from.mappings; row++) {
    const at = 4 * u32(row);
    if (row > 0 && load<i32>(rows.mappings + at) === 0) continue;
    const added = newMapping();
    added.input = input;
    added.row = row;
    added.filename = string(from.mappingFilename + at);
    added.buildId = string(from.mappingBuildId + at);
    added.flags = load<u8>(from.mappingFlags + u32(row));
    added.start = load<u64>(from.memoryStart + 2 * at);
    added.limit = load<u64>(from.memoryLimit + 2 * at);
    added.offset = load<u64>(from.fileOffset + 2 * at);
    store<i32>(rows.mappings + at, internMapping());
  }
}

function addLocations(from: ProfileColumns): void {
  let line: u32 = 0;
  for (let row = 0; row < from.locations; row++) {
    const at = 4 * u32(row);
    const added = newLocation(row);
    added.mapping = load<i32>(from.locationMapping + at);
    added.address = load<u64>(from.address + 2 * at);
    if (added.mapping >= 0) {
      const mapping = 4 * u32(added.mapping);
      added.address -= load<u64>(from.memoryStart + 2 * mapping);
      added.mapping = load<i32>(rows.mappings + mapping);
    }
    added.firstLine = lines.length + line * LINE_BYTES;
    for (const end = load<u32>(from.lineStart + at, 4); line < end; line++) {
      writeLine(from, line, lines.end + line * LINE_BYTES);
    }
    added.shape = lines.length + line * LINE_BYTES - added.firstLine + load<u8>(from.isFolded + u32(row));
  }
  internLocations(from.locations, rows.locations);
}

function writeLine(from: ProfileColumns, row: u32, to: usize): void {
  const added = changetype<Line>(to);
  added.line = load<i64>(from.line + 8 * row);
  added.column = from.column === 0 ? 0 : load<i64>(from.column + 8 * row);
  added.function = load<i32>(rows.functions + 4 * load<u32>(from.lineFunction + 4 * row));
  added.padding = 0;
}

function addLabelSets(from: ProfileColumns): void {
  /** Row of the empty set, once it is known. */
  let none = -1;
  let staged = 0;
  let end = labels.length;
  forgetSets();
  for (let row = 0; row < from.samples; row++) {
    const at = rows.labelSets + 4 * u32(row);
    if (load<i32>(at) < 0) continue;
    const first = load<u32>(from.labelStart + 4 * u32(row));
    const count = load<u32>(from.labelStart + 4 * u32(row), 4) - first;
    if (count === 0) {
      if (none < 0) none = internEmptySet();
      store<i32>(at, none);
      continue;
    }
    if (count === 1) {
      const known = knownSet(from, first);
      if (known >= 0) {
        store<i32>(at, known);
        continue;
      }
    }
    for (let i: u32 = 0; i < count; i++, end += LABEL_BYTES) writeLabel(from, first + i, labels.data + end);
    store<u32>(setEnds + 4 * u32(staged), end);
    store<i32>(setSamples + 4 * u32(staged++), row);
    if (staged < BLOCK) continue;
    takeLabelSets(from, staged);
    staged = 0;
    end = labels.length;
  }
  takeLabelSets(from, staged);
}

function takeLabelSets(from: ProfileColumns, count: i32): void {
  internLabelSets(count, setEnds, setRows);
  for (let at: u32 = 0; at < 4 * u32(count); at += 4) {
    const sample = 4 * load<u32>(setSamples + at);
    const set = load<i32>(setRows + at);
    store<i32>(rows.labelSets + sample, set);
    const first = load<u32>(from.labelStart + sample);
    if (load<u32>(from.labelStart + sample, 4) - first === 1) rememberSet(from, first, set);
  }
}

function writeLabel(from: ProfileColumns, row: u32, to: usize): void {
  const added = changetype<Label>(to);
  added.num = load<i64>(from.labelNum + 8 * row);
  added.key = string(from.labelKey + 4 * row);
  added.str = string(from.labelStr + 4 * row);
  added.numUnit = string(from.labelNumUnit + 4 * row);
  added.padding = 0;
}
