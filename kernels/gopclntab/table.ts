/** The table that the instance is for: where its parts are, and how its records are laid out. All memory is taken here. */
import { allocate } from '../memory';
import { placeCache } from './pc-tables';

/** What is held of the table. */
export let held: usize = 0;
export let heldEnd: usize = 0;
/** u32 each: entries of the functions and the end of the last one; offsets of their records. */
export let entries: usize = 0;
export let records: usize = 0;
export let functionCount: u32 = 0;

/** Bytes of the smallest instruction. */
export let quantum: u64 = 1;
/** Addresses of what offsets of pc-value tables and of records count from. */
export let pcTables: usize = 0;
export let recordsStart: usize = 0;

/** Bytes of a word of funcdata, 4 where it is an offset from gofunc. */
export let funcdataBytes: u32 = 4;
/** Whether a word of funcdata is an address. */
export let isAbsolute: bool = false;
/** Of a record, behind its entry: where its pcdata begin. */
export let fixedBytes: u32 = 0;
/** The same of fields that not all layouts have: −1 for none. */
export let unitField: i32 = -1;
export let startLineField: i32 = -1;

/** Makes room for a table, which the host puts there. */
export function placeTable(bytes: u32, newFunctionCount: u32): void {
  functionCount = newFunctionCount;
  held = allocate(bytes);
  heldEnd = held + bytes;
  entries = allocate((functionCount + 1) * sizeof<u32>());
  records = allocate(functionCount * sizeof<u32>());
  placeCache();
}

export function describeTable(
  pcTablesOffset: u32,
  recordsOffset: u32,
  newQuantum: u32,
  newFuncdataBytes: u32,
  hasAbsoluteEntries: bool,
  newFixedBytes: u32,
  newUnitField: i32,
  newStartLineField: i32,
): void {
  pcTables = held + pcTablesOffset;
  recordsStart = held + recordsOffset;
  quantum = newQuantum;
  funcdataBytes = newFuncdataBytes;
  isAbsolute = hasAbsoluteEntries;
  fixedBytes = newFixedBytes;
  unitField = newUnitField;
  startLineField = newStartLineField;
}
