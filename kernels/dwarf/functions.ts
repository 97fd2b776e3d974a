/**
 * Which functions of a unit have code, where that is, and whether calls were inlined into it. Every DIE is looked at but for those in inlined calls: functions stand in
 * namespaces, classes and other functions.
 */
import { SIBLING, UNIT_TRUNCATED } from '../../core/formats/dwarf/kernel-codes';
import { abbreviationOf, CALL_WITH_SIBLING, CONCRETE_FUNCTION, INLINED_CALL, useTable } from './abbreviations';
import { Block, reserve } from './block';
import { addRangesOf, areRangesMissing, beginRanges, Code, storeCode } from './code';
import { CODE_FIELDS, placeOf, readFields, SIBLING_FIELD, skipFields } from './die';
import { fail } from './imports';
import { input, origin } from './input';
import { next, readUnsigned } from './leb128';
import { addCodeRanges, placeRanges, sortRanges } from './ranges';

/** A function, in the order of their DIEs, as far as only the walk needs it. */
class FunctionRow {
  /** How many DIEs it is within, and the function that is open around it, or NONE. */
  depth!: i32;
  outer!: i32;
  hasCalls!: bool;
}

const ROW_BYTES: u32 = u32(offsetof<FunctionRow>());
const CODE_BYTES: u32 = u32(offsetof<Code>());
const NONE = -1;

const rows = changetype<Block>(memory.data(offsetof<Block>(), 8));
/** By function. */
const positions = changetype<Block>(memory.data(offsetof<Block>(), 8));
const ends = changetype<Block>(memory.data(offsetof<Block>(), 8));
const codes = changetype<Block>(memory.data(offsetof<Block>(), 8));

export let functionCount: u32 = 0;

/** Where the positions of their DIEs in the unit are: u32. */
export function functionPositions(): usize {
  return positions.address;
}

/** Where the positions behind all that is within them are: u32, 0 of a function that no calls were inlined into. */
export function functionEnds(): usize {
  return ends.address;
}

/** Where their codes are, for the host to make ranges of. */
export function functionCodes(): usize {
  return codes.address;
}

/** Reads the unit that the input is, and gathers the ranges of its functions, owned by their numbers. @param at its first DIE */
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
    const kind = abbreviation.kind;
    if (kind === CONCRETE_FUNCTION) {
      at = readFields(abbreviation, at, end, CODE_FIELDS);
      const added = addFunction(start, depth, open);
      if (abbreviation.hasChildren) open = added;
    } else if (kind === CALL_WITH_SIBLING) {
      if (open !== NONE) row(open).hasCalls = true;
      at = readFields(abbreviation, at, end, SIBLING_FIELD);
      const sibling = placeOf(SIBLING, end);
      // One that is spoilt is as good as none.
      if (sibling > at) {
        at = sibling;
        continue;
      }
    } else {
      if (kind === INLINED_CALL && open !== NONE) row(open).hasCalls = true;
      at = skipFields(abbreviation, at, end);
    }
    if (abbreviation.hasChildren) depth++;
  }
  while (open !== NONE) open = close(open, end);
  if (at > end) fail(UNIT_TRUNCATED, u32(at - input), 0);
  gatherRanges();
}

function row(index: u32): FunctionRow {
  return changetype<FunctionRow>(rows.address + index * ROW_BYTES);
}

function codeOf(index: u32): Code {
  return changetype<Code>(codes.address + index * CODE_BYTES);
}

function addFunction(start: usize, depth: i32, outer: i32): i32 {
  const index = functionCount++;
  const wordBytes = index * u32(sizeof<u32>());
  reserve(rows, index * ROW_BYTES, u64(index + 1) * ROW_BYTES);
  reserve(codes, index * CODE_BYTES, u64(index + 1) * CODE_BYTES);
  reserve(positions, wordBytes, u64(wordBytes) + sizeof<u32>());
  reserve(ends, wordBytes, u64(wordBytes) + sizeof<u32>());
  const added = row(index);
  added.depth = depth;
  added.outer = outer;
  added.hasCalls = false;
  storeCode(codeOf(index));
  store<u32>(positions.address + wordBytes, u32(start - input) + origin);
  store<u32>(ends.address + wordBytes, 0);
  return index;
}

/** @param end behind all that is within it @returns the function around it */
function close(index: u32, end: usize): i32 {
  const closed = row(index);
  if (closed.hasCalls) {
    store<u32>(ends.address + index * sizeof<u32>(), u32(end - input) + origin);
    if (closed.outer !== NONE) row(closed.outer).hasCalls = true;
  }
  return closed.outer;
}

/** Unless some are for the host to make. */
function gatherRanges(): void {
  placeRanges(0);
  for (let index: u32 = 0; index < functionCount && !areRangesMissing; index++) {
    beginRanges();
    addRangesOf(codeOf(index));
    addCodeRanges(index);
  }
  if (!areRangesMissing) sortRanges();
}
