/** Adds another merge to this one. */
import { allocate, release } from '../memory';
import { AddedRows, newRows } from './added-rows';
import { FunctionRecord, internFunctions, newFunction } from './functions';
import { inputCount } from './inputs';
import { internLabelSets, LABEL_BYTES, Label, LabelSet } from './label-sets';
import { internLocations, LINE_BYTES, Line, Location, newLocation } from './locations';
import { internMapping, Mapping, newMapping } from './mappings';
import { areNarrow, Sample } from './sample-table';
import { addSamples, roomBytes, SampleSource } from './samples';
import {
  functions,
  inputs,
  labelSets,
  labels,
  lines,
  locations,
  mappings,
  samples,
  stringBytes,
  strings,
} from './state';
import { addStringsOf } from './strings';
import { BLOCK } from './table';

/** The other's columns, in the order of state.ts: where they are, and their bytes. */
@unmanaged
export class MergeColumns {
  inputs: usize;
  inputsBytes: u32;
  strings: usize;
  stringsBytes: u32;
  stringBytes: usize;
  stringBytesBytes: u32;
  functions: usize;
  functionsBytes: u32;
  mappings: usize;
  mappingsBytes: u32;
  locations: usize;
  locationsBytes: u32;
  lines: usize;
  linesBytes: u32;
  labelSets: usize;
  labelSetsBytes: u32;
  labels: usize;
  labelsBytes: u32;
  samples: usize;
  samplesBytes: u32;
}

/** What of the other has which row here: words. */
@unmanaged
class Rows {
  strings: usize;
  functions: usize;
  mappings: usize;
  locations: usize;
  labelSets: usize;
}

const rows = changetype<Rows>(memory.data(offsetof<Rows>(), 4));
const source = changetype<SampleSource>(memory.data(offsetof<SampleSource>(), 4));
const figures = changetype<SampleFigures>(memory.data(offsetof<SampleFigures>(), 4));

/** Words: where the sets of labels of a block end in `labels`. */
const setEnds: usize = memory.data(64 * 4, 4);

/**
 * Either all of it is added, or there is no room and nothing is.
 *
 * @param typeCount values of a sample
 */
export function addMerge(from: MergeColumns, typeCount: i32): AddedRows {
  const stringCount = i32(from.stringsBytes / strings.stride);
  countSamples(from);
  const added = newRows(stringCount, i32(from.mappingsBytes / mappings.stride), figures.count);
  rows.strings = added.strings;
  rows.mappings = added.mappings;
  rows.functions = allocate(from.functionsBytes);
  rows.locations = allocate(from.locationsBytes);
  rows.labelSets = allocate(from.labelSetsBytes);
  allocateSource();
  source.typeCount = typeCount;
  source.numbers = added.samples;
  makeRoom(from, typeCount);
  const shift = inputCount();
  memory.copy(inputs.end, from.inputs, from.inputsBytes);
  inputs.length += from.inputsBytes;
  addStringsOf(from.strings, stringCount, from.stringBytes, rows.strings);
  addFunctions(from);
  addMappings(from, shift);
  const wereNarrow = areNarrow(locations.rows);
  addLocations(from);
  if (wereNarrow && !areNarrow(locations.rows)) samples.widen(typeCount);
  addLabelSets(from);
  readSamples(from);
  source.stacks = from.samples;
  source.isNarrow = hasNarrowFrames(from);
  source.locations = rows.locations;
  source.input = shift;
  source.isBehindAll = false;
  addSamples(source);
  release(rows.functions, from.functionsBytes);
  release(rows.locations, from.locationsBytes);
  release(rows.labelSets, from.labelSetsBytes);
  releaseSource();
  return added;
}

/** For all that the other may bring, as if none of it was here. */
function makeRoom(from: MergeColumns, typeCount: i32): void {
  inputs.reserve(from.inputsBytes);
  strings.reserveRows(i32(from.stringsBytes / strings.stride));
  stringBytes.reserve(from.stringBytesBytes);
  functions.reserveRows(i32(from.functionsBytes / functions.stride));
  mappings.reserveRows(i32(from.mappingsBytes / mappings.stride));
  locations.reserveRows(locationsOf(from));
  lines.reserve(from.linesBytes);
  labelSets.reserveRows(i32(from.labelSetsBytes / labelSets.stride));
  labels.reserve(from.labelsBytes);
  const willBeNarrow = areNarrow(locations.rows + locationsOf(from));
  samples.reserveSamples(figures.count, figures.frameCount, typeCount, areNarrow(locations.rows), willBeNarrow);
}

function locationsOf(from: MergeColumns): i32 {
  return i32(from.locationsBytes / locations.stride);
}

function hasNarrowFrames(from: MergeColumns): boolean {
  return areNarrow(locationsOf(from));
}

function string(row: i32): i32 {
  return load<i32>(rows.strings + 4 * u32(row));
}

function addFunctions(from: MergeColumns): void {
  const count = i32(from.functionsBytes / functions.stride);
  for (let row = 0; row < count; row++) {
    const other = changetype<FunctionRecord>(from.functions + u32(row) * offsetof<FunctionRecord>());
    const added = newFunction(row);
    added.name = string(other.name);
    added.systemName = string(other.systemName);
    added.filename = string(other.filename);
    added.startLine = other.startLine;
  }
  internFunctions(count, rows.functions);
}

/** @param shift what to add to the rows of the other's inputs */
function addMappings(from: MergeColumns, shift: i32): void {
  let to = rows.mappings;
  const end = from.mappings + from.mappingsBytes;
  for (let at = from.mappings; at < end; at += offsetof<Mapping>(), to += 4) {
    const added = newMapping();
    memory.copy(changetype<usize>(added), at, offsetof<Mapping>());
    added.input += shift;
    added.filename = string(added.filename);
    added.buildId = string(added.buildId);
    store<i32>(to, internMapping());
  }
}

function addLocations(from: MergeColumns): void {
  const count = locationsOf(from);
  for (let at: u32 = 0; at < from.linesBytes; at += LINE_BYTES) {
    const line = changetype<Line>(from.lines + at);
    const copy = changetype<Line>(lines.end + at);
    copy.line = line.line;
    copy.column = line.column;
    copy.function = load<i32>(rows.functions + 4 * u32(line.function));
    copy.padding = 0;
  }
  for (let row = 0; row < count; row++) {
    const other = changetype<Location>(from.locations + u32(row) * offsetof<Location>());
    const added = newLocation(row);
    added.mapping = other.mapping < 0 ? -1 : load<i32>(rows.mappings + 4 * u32(other.mapping));
    added.address = other.address;
    added.firstLine = lines.length + other.firstLine;
    added.shape = other.shape;
    // All of them are wanted.
    store<i32>(rows.locations + 4 * u32(row), 1);
  }
  internLocations(count, rows.locations);
}

function addLabelSets(from: MergeColumns): void {
  const count = i32(from.labelSetsBytes / labelSets.stride);
  for (let begin = 0; begin < count; begin += BLOCK) {
    const length = min(BLOCK, count - begin);
    let end = labels.length;
    for (let i = 0; i < length; i++) {
      const set = changetype<LabelSet>(from.labelSets + u32(begin + i) * offsetof<LabelSet>());
      const first = from.labels + set.first;
      for (let at: u32 = 0; at < set.bytes; at += LABEL_BYTES, end += LABEL_BYTES) {
        const label = changetype<Label>(first + at);
        const copy = changetype<Label>(labels.data + end);
        copy.num = label.num;
        copy.key = string(label.key);
        copy.str = string(label.str);
        copy.numUnit = string(label.numUnit);
        copy.padding = 0;
      }
      store<u32>(setEnds + 4 * u32(i), end);
    }
    internLabelSets(length, setEnds, rows.labelSets + 4 * u32(begin));
  }
}

/** What is asked of all of the other's samples before they are added. */
@unmanaged
class SampleFigures {
  count: i32;
  /** Of all stacks. */
  frameCount: u32;
  /** Frames of one stack. */
  longest: u32;
}

function countSamples(from: MergeColumns): void {
  figures.count = 0;
  figures.frameCount = 0;
  figures.longest = 0;
  const end = from.samples + from.samplesBytes;
  for (let at = from.samples; at < end; at = changetype<Sample>(at).end) {
    figures.count++;
    figures.frameCount += changetype<Sample>(at).size;
    figures.longest = max(figures.longest, changetype<Sample>(at).size);
  }
}

function allocateSource(): void {
  const count = u32(figures.count);
  source.count = figures.count;
  source.records = allocate(sizeof<usize>() * count);
  source.labelSets = allocate(4 * count);
  source.room = allocate(roomBytes(figures.frameCount, figures.longest));
}

function releaseSource(): void {
  const count = u32(figures.count);
  release(source.records, sizeof<usize>() * count);
  release(source.labelSets, 4 * count);
  release(source.room, roomBytes(figures.frameCount, figures.longest));
}

function readSamples(from: MergeColumns): void {
  let record = from.samples;
  for (let row: u32 = 0; row < u32(source.count); row++) {
    const sample = changetype<Sample>(record);
    store<usize>(source.records + sizeof<usize>() * row, record);
    store<i32>(source.labelSets + 4 * row, load<i32>(rows.labelSets + 4 * u32(sample.labelSet)));
    record = sample.end;
  }
}
