/**
 * The result of a merge: samples in order of first appearance, in the order of the inputs (inputs.ts); mappings, locations,
 * functions and strings numbered in order of first use from there. This is google/pprof's order of the same inputs, and depends on
 * nothing else. Samples that sum up to 0 are left out, and what only they used.
 *
 * Each `write…` writes one table of the result, as columns behind one another, and numbers the rows of those that come behind it. The
 * columns with the widest values are first, so that all are aligned. What samples have is written in parts: memory that is used for the
 * first time is dear.
 */
import { allocate, release } from '../memory';
import { FunctionRecord } from './functions';
import { LABEL_BYTES, Label, labelSetAt, sortLabels } from './label-sets';
import { LINE_BYTES, Line, locationAt } from './locations';
import { mappingAt } from './mappings';
import { orderedLabelSet, orderedSample, orderedSize, sampleCount } from './order';
import { Renumbering } from './renumbering';
import { areNarrow } from './sample-table';
import { functions, labelSets, labels, lines, locations, mappings, stringBytes, strings } from './state';

const NO_ROW: u32 = 0xffffffff;

const stringRows = changetype<Renumbering>(memory.data(offsetof<Renumbering>(), 4));
const functionRows = changetype<Renumbering>(memory.data(offsetof<Renumbering>(), 4));
const mappingRows = changetype<Renumbering>(memory.data(offsetof<Renumbering>(), 4));
const locationRows = changetype<Renumbering>(memory.data(offsetof<Renumbering>(), 4));

/** What was written last. */
let outbox: usize = 0;
let outboxBytes: u32 = 0;

function newOutbox(bytes: u32): usize {
  if (outbox !== 0) release(outbox, outboxBytes);
  outbox = 0;
  outbox = allocate(bytes);
  outboxBytes = bytes;
  return outbox;
}

/** To be called before anything is numbered, and after `orderSamples`. */
export function beginFinish(): void {
  outbox = 0;
  stringRows.reset(strings.rows);
  functionRows.reset(functions.rows);
  mappingRows.reset(mappings.rows);
  locationRows.reset(locations.rows);
}

/** @returns the result's row of a string; its number if it is new */
export function numberString(row: i32): i32 {
  return stringRows.row(row);
}

export function numberMapping(row: i32): i32 {
  return mappingRows.row(row);
}

export function resultSamples(): i32 {
  return sampleCount;
}

/** Once samples were written; as for those that follow, once what refers to them was. */
export function resultLocations(): i32 {
  return locationRows.length;
}

export function resultLines(): i32 {
  let bytes: u32 = 0;
  for (let row = 0; row < locationRows.length; row++) bytes += locationAt(locationRows.old(row)).lineBytes;
  return i32(bytes / LINE_BYTES);
}

export function resultFunctions(): i32 {
  return functionRows.length;
}

export function resultMappings(): i32 {
  return mappingRows.length;
}

export function resultStrings(): i32 {
  return stringRows.length;
}

export function resultStringBytes(): i32 {
  let bytes: u32 = 0;
  for (let row = 0; row < stringRows.length; row++) bytes += load<u32>(strings.at(stringRows.old(row)), 8);
  return i32(bytes);
}

/** `values` of the samples from row `from` to row `to`. */
export function writeValues(typeCount: i32, from: i32, to: i32): usize {
  const bytes: u32 = 8 * u32(typeCount);
  let at = newOutbox(bytes * u32(to - from));
  for (let row = from; row < to; row++) {
    const sums = orderedSample(row).sums(typeCount);
    for (let i: u32 = 0; i < bytes; i += 8, at += 8) store<i64>(at, load<i64>(sums + i));
  }
  return outbox;
}

/** `stackStart`. */
export function writeStackStarts(): usize {
  const starts = newOutbox(4 * (u32(sampleCount) + 1));
  let end: u32 = 0;
  store<u32>(starts, 0);
  for (let row = 0; row < sampleCount; row++) {
    end += orderedSize(row);
    store<u32>(starts + 4 * u32(row), end, 4);
  }
  return outbox;
}

/** `stackLocations` of the samples from row `from` to row `to`, which have `count`. */
export function writeStacks(from: i32, to: i32, count: i32): usize {
  const stacks = newOutbox(4 * u32(count));
  if (areNarrow(locations.rows)) putStacks<u16>(from, to, stacks);
  else putStacks<u32>(from, to, stacks);
  return outbox;
}

function putStacks<F>(from: i32, to: i32, stacks: usize): void {
  let at = stacks;
  const known = locationRows.rows;
  for (let row = from; row < to; row++) {
    const sample = orderedSample(row);
    const end = sample.frames + sample.size * sizeof<F>();
    for (let frame = sample.frames; frame < end; frame += sizeof<F>(), at += 4) {
      const location = i32(load<F>(frame));
      const number = load<i32>(known + 4 * u32(location));
      store<i32>(at, number !== 0 ? number - 1 : locationRows.row(location));
    }
  }
}

/** `labelStart`. Puts labels into their order. @param places words: place of each label key among the keys, by its row */
export function writeLabelStarts(places: usize): usize {
  for (let row = 0; row < labelSets.rows; row++) {
    const set = labelSetAt(row);
    sortLabels(labels.data + set.first, labels.data + set.first + set.bytes, places);
  }
  const starts = newOutbox(4 * (u32(sampleCount) + 1));
  let bytes: u32 = 0;
  store<u32>(starts, 0);
  for (let row = 0; row < sampleCount; row++) {
    bytes += labelSetAt(orderedLabelSet(row)).bytes;
    store<u32>(starts + 4 * u32(row), bytes / LABEL_BYTES, 4);
  }
  return outbox;
}

/** `num, key, str, numUnit` of the samples from row `from` to row `to`, which have `count` labels. */
export function writeLabels(from: i32, to: i32, count: i32): usize {
  const keys = newOutbox(20 * u32(count)) + 8 * u32(count);
  let i: u32 = 0;
  for (let row = from; row < to; row++) {
    const set = labelSetAt(orderedLabelSet(row));
    const first = labels.data + set.first;
    for (let at = first; at < first + set.bytes; at += LABEL_BYTES, i++) {
      const label = changetype<Label>(at);
      store<i64>(outbox + 8 * i, label.num);
      store<i32>(keys + 4 * i, numberString(label.key));
      store<i32>(keys + 4 * (u32(count) + i), numberString(label.str));
      store<i32>(keys + 4 * (2 * u32(count) + i), numberString(label.numUnit));
    }
  }
  return outbox;
}

/** `address, mapping, lineStart, isFolded`. */
export function writeLocations(): usize {
  const count = u32(locationRows.length);
  const inMapping = newOutbox(8 * count + 4 * count + 4 * (count + 1) + count) + 8 * count;
  const starts = inMapping + 4 * count;
  const folded = starts + 4 * (count + 1);
  let lineCount: u32 = 0;
  store<u32>(starts, 0);
  for (let row: u32 = 0; row < count; row++) {
    const location = locationAt(locationRows.old(row));
    const isIn = location.mapping >= 0;
    const start = isIn ? mappingAt(location.mapping).start : 0;
    store<u64>(outbox + 8 * row, location.address + start);
    store<u32>(inMapping + 4 * row, isIn ? u32(numberMapping(location.mapping)) : NO_ROW);
    lineCount += location.lineBytes / LINE_BYTES;
    store<u32>(starts + 4 * row, lineCount, 4);
    store<u8>(folded + row, u8(location.isFolded));
  }
  return outbox;
}

/** `line, column, function`. */
export function writeLines(lineCount: i32): usize {
  const count = u32(lineCount);
  const column = newOutbox(20 * count) + 8 * count;
  const inFunction = column + 8 * count;
  let to: u32 = 0;
  for (let row = 0; row < locationRows.length; row++) {
    const location = locationAt(locationRows.old(row));
    const first = lines.data + location.firstLine;
    for (let at = first; at < first + location.lineBytes; at += LINE_BYTES, to++) {
      const line = changetype<Line>(at);
      store<i64>(outbox + 8 * to, line.line);
      store<i64>(column + 8 * to, line.column);
      store<i32>(inFunction + 4 * to, functionRows.row(line.function));
    }
  }
  return outbox;
}

/** `startLine, name, systemName, filename`. */
export function writeFunctions(): usize {
  const count = u32(functionRows.length);
  const names = newOutbox(20 * count) + 8 * count;
  for (let row: u32 = 0; row < count; row++) {
    const record = changetype<FunctionRecord>(functions.at(functionRows.old(row)));
    store<i64>(outbox + 8 * row, record.startLine);
    store<i32>(names + 4 * row, numberString(record.name));
    store<i32>(names + 4 * (count + row), numberString(record.systemName));
    store<i32>(names + 4 * (2 * count + row), numberString(record.filename));
  }
  return outbox;
}

/** `memoryStart, memoryLimit, fileOffset, filename, buildId, flags`. */
export function writeMappings(): usize {
  const count = u32(mappingRows.length);
  const names = newOutbox(24 * count + 8 * count + count) + 24 * count;
  for (let row: u32 = 0; row < count; row++) {
    const mapping = mappingAt(mappingRows.old(row));
    store<u64>(outbox + 8 * row, mapping.start);
    store<u64>(outbox + 8 * (count + row), mapping.limit);
    store<u64>(outbox + 8 * (2 * count + row), mapping.offset);
    store<i32>(names + 4 * row, numberString(mapping.filename));
    store<i32>(names + 4 * (count + row), numberString(mapping.buildId));
    store<u8>(names + 8 * count + row, u8(mapping.flags));
  }
  return outbox;
}

/** `starts, bytes`; nothing is numbered after it. */
export function writeStrings(byteCount: i32): usize {
  const count = u32(stringRows.length);
  // With what copying by eight writes behind the last.
  const starts = newOutbox(4 * (count + 1) + u32(byteCount) + 8);
  const bytes = starts + 4 * (count + 1);
  let to: u32 = 0;
  store<u32>(starts, 0);
  for (let row: u32 = 0; row < count; row++) {
    const string = strings.at(stringRows.old(row));
    const from = stringBytes.data + load<u32>(string, 4);
    const size = load<u32>(string, 8);
    for (let i: u32 = 0; i < size; i += 8) store<u64>(bytes + to + i, load<u64>(from + i));
    to += size;
    store<u32>(starts + 4 * row, to, 4);
  }
  return outbox;
}
