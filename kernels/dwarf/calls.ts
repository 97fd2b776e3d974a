/** The inlined calls of a function, outer ones before those within. Source: DWARF 5, 3.3.8. */
import { CALL_COLUMN, CALL_FILE, CALL_LINE, FUNCTION_TRUNCATED, ORIGIN } from '../../core/formats/dwarf/kernel-codes';
import { abbreviationOf, CALL_WITH_SIBLING, INLINED_CALL, useTable } from './abbreviations';
import { Block, reserve } from './block';
import { addRangesOf, beginRanges, Code, storeCode } from './code';
import { CALL_FIELDS, formOf, numberOf, readFields, skipFields } from './die';
import { fail } from './imports';
import { input } from './input';
import { next, readUnsigned } from './leb128';
import { codeRangeCount } from './range-lists';

class CallRow {
  /** Behind the last call within this one. */
  next!: u32;
  /** Its ranges are those from here up to the next call's. */
  firstRange!: u32;
  originForm!: u32;
  origin!: u32;
  file!: u32;
  line!: u32;
  column!: u32;
}

const ROW_BYTES: u32 = u32(offsetof<CallRow>());
const CODE_BYTES: u32 = u32(offsetof<Code>());
const NONE: u32 = u32.MAX_VALUE;

const rows = changetype<Block>(memory.data(offsetof<Block>(), 8));
/** By row. */
const codes = changetype<Block>(memory.data(offsetof<Block>(), 8));
/** Of each open DIE, the row to close, or NONE for one that is no call. */
const open = changetype<Block>(memory.data(offsetof<Block>(), 8));

export let callCount: u32 = 0;
/** Where the rows are. */
export function callRows(): usize {
  return rows.address;
}

export function callCodes(): usize {
  return codes.address;
}

/** @param at the DIE of the function */
export function readCalls(table: usize, at: usize, end: usize): void {
  useTable(table);
  beginRanges();
  callCount = 0;
  let depth: u32 = 0;
  do {
    let code = u64(load<u8>(at));
    if (code === 0) {
      if (depth === 0) break;
      at++;
      const closed = load<u32>(open.address + --depth * sizeof<u32>());
      if (closed !== NONE) row(closed).next = callCount;
      continue;
    }
    code = readUnsigned(at);
    at = next;
    const abbreviation = abbreviationOf(code);
    let added = NONE;
    if (abbreviation.kind === INLINED_CALL || abbreviation.kind === CALL_WITH_SIBLING) {
      at = readFields(abbreviation, at, end, CALL_FIELDS);
      added = addCall();
    } else {
      at = skipFields(abbreviation, at, end);
    }
    if (!abbreviation.hasChildren) continue;
    reserve(open, depth * sizeof<u32>(), u64(depth + 1) * sizeof<u32>());
    store<u32>(open.address + depth++ * sizeof<u32>(), added);
  } while (depth > 0 && at < end);
  if (depth > 0 || at > end) fail(FUNCTION_TRUNCATED, u32(at - input), 0);
}

function row(index: u32): CallRow {
  return changetype<CallRow>(rows.address + index * ROW_BYTES);
}

function addCall(): u32 {
  const index = callCount++;
  reserve(rows, index * ROW_BYTES, u64(index + 1) * ROW_BYTES);
  const added = row(index);
  added.next = index + 1;
  added.firstRange = codeRangeCount;
  added.originForm = formOf(ORIGIN);
  added.origin = word(numberOf(ORIGIN));
  added.file = word(numberOf(CALL_FILE));
  added.line = word(numberOf(CALL_LINE));
  added.column = word(numberOf(CALL_COLUMN));
  reserve(codes, index * CODE_BYTES, u64(index + 1) * CODE_BYTES);
  const code = changetype<Code>(codes.address + index * CODE_BYTES);
  storeCode(code);
  addRangesOf(code);
  return index;
}

/** The lowest 32 bits of a number. */
function word(value: f64): u32 {
  return u32(i64(value));
}
