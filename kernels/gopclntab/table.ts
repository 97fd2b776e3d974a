/** The table that the instance is for: where its parts are, and how its records are laid out. All memory is taken here. */
import { OUT_OF_MEMORY } from '../../core/formats/gopclntab/kernel-codes';
import { fail } from './imports';
import { placeCache, sizeCache } from './pc-tables';

const ALIGNMENT = 16;
const PAGE = 1 << 16;

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

/** Function names, and the end of what is held of them; offsets of files, likewise. */
export let names: usize = 0;
export let namesEnd: usize = 0;
export let fileOffsets: usize = 0;
export let fileOffsetsEnd: usize = 0;
/** Of the files that they lead to. */
export let fileBytes: u32 = 0;

/** Makes room for a table, which the host puts there: all that is ever needed at once, since memory that grows is taken for garbage by V8. */
export function placeTable(
  bytes: u32,
  newFunctionCount: u32,
  nameBytes: u32,
  fileOffsetBytes: u32,
  newFileBytes: u32,
): void {
  fileBytes = newFileBytes;
  functionCount = newFunctionCount;
  held = aligned(__heap_base);
  heldEnd = held + bytes;
  const cacheBytes = sizeCache(bytes, functionCount);
  const textBytes = u64(nameBytes) + u64(fileOffsetBytes);
  const end = u64(heldEnd) + 5 * ALIGNMENT + (2 * u64(functionCount) + 1) * sizeof<u32>() + textBytes + u64(cacheBytes);
  const pages = i64((end + PAGE - 1) / PAGE) - memory.size();
  if (end > u32.MAX_VALUE || (pages > 0 && memory.grow(i32(pages)) < 0)) fail(OUT_OF_MEMORY, bytes, 0);
  entries = aligned(heldEnd);
  records = aligned(entries + (functionCount + 1) * sizeof<u32>());
  names = aligned(records + functionCount * sizeof<u32>());
  namesEnd = names + nameBytes;
  fileOffsets = aligned(namesEnd);
  fileOffsetsEnd = fileOffsets + fileOffsetBytes;
  placeCache(aligned(fileOffsetsEnd));
}

function aligned(address: usize): usize {
  return (address + ALIGNMENT - 1) & ~(ALIGNMENT - 1);
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
