/**
 * A merge in progress: what all profiles so far are together, as distinct strings, functions, mappings, locations, sets of labels
 * and samples. Rows are numbered by arrival; nothing of that is in the result, which finish.ts numbers anew.
 *
 * What makes two things one is google/pprof's: see `profile.Merge`, and each table.
 */
import { releaseAll } from '../memory';
import { Column } from './column';
import { SampleTable, UNIT } from './sample-table';
import { Table } from './table';

const COUNT: u32 = 10;
const WIDEST: u32 = 32;

/** All columns and tables, in the order in which they cross threads. */
const all: usize = memory.data(COUNT * WIDEST, 8);
let made: u32 = 0;

function newColumn(): Column {
  return changetype<Column>(all + WIDEST * made++);
}

function newTable(stride: u32): Table {
  const table = changetype<Table>(all + WIDEST * made++);
  table.stride = stride;
  return table;
}

/** See inputs.ts. */
export const inputs = newColumn();
/** `hash, start, size`: bytes `[start, start + size)` of `stringBytes`. Row 0 is "". */
export const strings = newTable(12);
export const stringBytes = newColumn();
/** See functions.ts. */
export const functions = newTable(24);
/** See mappings.ts. */
export const mappings = newTable(48);
/** See locations.ts, as for `lines`. */
export const locations = newTable(24);
export const lines = newColumn();
/** See label-sets.ts, as for `labels`. */
export const labelSets = newTable(12);
export const labels = newColumn();
/** See sample-table.ts. */
export const samples = changetype<SampleTable>(newTable(UNIT));

export function columnCount(): i32 {
  return i32(COUNT);
}

/** Address of a column's bytes. */
export function columnAt(index: i32): usize {
  return changetype<Column>(all + WIDEST * u32(index)).data;
}

export function columnLength(index: i32): u32 {
  return changetype<Column>(all + WIDEST * u32(index)).length;
}

/** Bytes of all columns, and of what finds records in tables. */
export function usedBytes(): u32 {
  let bytes: u32 = 0;
  for (let index: u32 = 0; index < COUNT; index++) {
    const table = changetype<Table>(all + WIDEST * index);
    bytes += table.length + (table.stride === 0 ? 0 : table.slotBytes);
  }
  return bytes;
}

/** Makes an empty column as long as it was in another merge. @returns where its bytes belong; before the next column is restored */
export function restoreColumn(index: i32, length: u32): usize {
  const column = changetype<Column>(all + WIDEST * u32(index));
  column.reserve(length);
  column.length = length;
  const table = changetype<Table>(column);
  if (table.stride !== 0) table.rows = i32(length / table.stride);
  return column.data;
}

/** Forgets everything; the memory stays. */
export function clear(): void {
  for (let index: u32 = 0; index < COUNT; index++) {
    const table = changetype<Table>(all + WIDEST * index);
    table.data = 0;
    table.length = 0;
    table.capacity = 0;
    table.rows = 0;
    table.slots = 0;
    table.slotBytes = 0;
  }
  samples.forgetCount();
  releaseAll();
}
