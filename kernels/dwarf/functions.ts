/**
 * Which functions of a unit have code, and where. Every DIE is looked at but for those in inlined calls: functions stand in
 * namespaces, classes and other functions.
 */
import { SIBLING, UNIT_TRUNCATED } from '../../core/formats/dwarf/kernel-codes';
import { abbreviationOf, CALL_WITH_SIBLING, CONCRETE_FUNCTION, useTable } from './abbreviations';
import { Block, reserve } from './block';
import { Code, storeCode } from './code';
import { CODE_FIELDS, formOf, numberOf, readFields, SIBLING_FIELD, skipFields } from './die';
import { fail } from './imports';
import { input, origin } from './input';
import { next, readUnsigned } from './leb128';
import { REF_UDATA, REF1 } from './numbers';

/** A function, in the order of their DIEs; its code follows. */
class FunctionRow {
  /** Of its DIE in the unit, and behind all that is within it. */
  position!: u32;
  end!: u32;
  /** How many DIEs it is within, and the function that is open around it. */
  depth!: i32;
  outer!: i32;
}

const ROW_BYTES: u32 = u32(offsetof<FunctionRow>() + offsetof<Code>());
const NONE = -1;

const rows = changetype<Block>(memory.data(offsetof<Block>(), 8));

export let functionCount: u32 = 0;

/** Where the rows are. */
export function functionRows(): usize {
  return rows.address;
}

/** Reads the unit that the input is. @param at its first DIE */
export function readFunctions(table: usize, at: usize, end: usize): void {
  useTable(table);
  functionCount = 0;
  let depth = 0;
  let open = NONE;
  while (at < end) {
    const start = at;
    let code = u64(load<u8>(at++));
    if (code === 0) {
      depth--;
      if (open !== NONE && row(open).depth === depth) open = close(open, at);
      continue;
    }
    if (code >= 128) {
      code = readUnsigned(start);
      at = next;
    }
    const abbreviation = abbreviationOf(code);
    if (abbreviation.kind === CONCRETE_FUNCTION) {
      at = readFields(abbreviation, at, end, CODE_FIELDS);
      const added = addFunction(start, at, depth, open);
      if (abbreviation.hasChildren) open = added;
    } else if (abbreviation.kind === CALL_WITH_SIBLING) {
      at = readFields(abbreviation, at, end, SIBLING_FIELD);
      const sibling = siblingAt(end);
      // One that is spoilt is as good as none.
      if (sibling > at) {
        at = sibling;
        continue;
      }
    } else {
      at = skipFields(abbreviation, at, end);
    }
    if (abbreviation.hasChildren) depth++;
  }
  while (open !== NONE) open = close(open, end);
  if (at > end) fail(UNIT_TRUNCATED, u32(at - input), 0);
}

function row(index: u32): FunctionRow {
  return changetype<FunctionRow>(rows.address + index * ROW_BYTES);
}

function addFunction(start: usize, end: usize, depth: i32, outer: i32): i32 {
  const index = functionCount++;
  reserve(rows, index * ROW_BYTES, u64(index + 1) * ROW_BYTES);
  const added = row(index);
  added.position = u32(start - input) + origin;
  added.end = u32(end - input) + origin;
  added.depth = depth;
  added.outer = outer;
  storeCode(changetype<Code>(changetype<usize>(added) + offsetof<FunctionRow>()));
  return index;
}

/** @param end behind all that is within it @returns the function around it */
function close(index: u32, end: usize): i32 {
  const closed = row(index);
  closed.end = u32(end - input) + origin;
  return closed.outer;
}

/** Where the next DIE of the same parent is, as the one that was read last says; 0 where it does not, or not within the unit. */
function siblingAt(end: usize): usize {
  const form = formOf(SIBLING);
  const position = numberOf(SIBLING);
  if (form < REF1 || form > REF_UDATA || position > f64(end - input) + f64(origin) || position < f64(origin)) return 0;
  return input + usize(position) - origin;
}
