/** `.debug_abbrev`: the shapes of DIEs. Source: DWARF 5, 7.5.3. */
import {
  CODE_NOT_IN_TABLE,
  FORM_NOT_IN_TABLE,
  LOW_PC,
  RANGES,
  SIBLING,
  TABLE_TRUNCATED,
  UNKNOWN,
} from '../../core/formats/dwarf/kernel-codes';
import { allocate } from '../memory';
import { fieldOf, layoutOf } from './forms';
import { fail } from './imports';
import { next, readSigned, readUnsigned, skip } from './leb128';
import { IMPLICIT_CONST, INLINED_SUBROUTINE, SUBPROGRAM } from './numbers';

/** What becomes of a DIE. */
export const OTHER: u8 = 0;
/** A function that has code, not only a declaration or an abstract instance. */
export const CONCRETE_FUNCTION: u8 = 1;
export const INLINED_CALL: u8 = 2;
/** One that says where the DIE behind all within it is: no function with code is among these. */
export const CALL_WITH_SIBLING: u8 = 3;

/** A declaration; its attributes follow. */
export class Abbreviation {
  tag!: u32;
  /** Bytes of a DIE's attributes where they are always the same, else −1. */
  fixedBytes!: i32;
  attributeCount!: u32;
  kind!: u8;
  hasChildren!: bool;
  padding!: u16;
}

export class Attribute {
  /** Of IMPLICIT_CONST. */
  constant!: f64;
  form!: u32;
  layout!: i16;
  /** Or NO_FIELD. */
  field!: u8;
  padding!: u8;
}

/** The declarations of a table, by code. */
class Table {
  /** Abbreviations by code, below `denseCodes`. */
  dense!: usize;
  denseCodes!: u32;
  /** Entries of the others: a power of two less one; found by code, with steps of one. */
  sparseMask!: u32;
  sparse!: usize;
  /** Of the forms, in the encoding of the table. */
  layouts!: usize;
  addressBytes!: u32;
  /** What ended the table before its end: none is 0. */
  problem!: i32;
  problemPosition!: u32;
  problemGot!: f64;
}

class SparseEntry {
  code!: u64;
  abbreviation!: usize;
}

const MAX_DENSE: u64 = 1 << 14;

let declarationCount: u32 = 0;
let attributeCount: u32 = 0;
let sparseCount: u32 = 0;
let denseCodes: u32 = 0;

/** The table that DIEs are read by. */
let table = changetype<Table>(0);
export let layouts: usize = 0;
export let addressBytes: u32 = 0;

/** @param address of a table */
export function useTable(address: usize): void {
  table = changetype<Table>(address);
  layouts = table.layouts;
  addressBytes = table.addressBytes;
}

/** Of the table in use. Throws for a code that it lacks. */
export function abbreviationOf(code: u64): Abbreviation {
  const found = find(code);
  if (found === 0) {
    if (table.problem !== 0) fail(table.problem, table.problemPosition, table.problemGot);
    else fail(CODE_NOT_IN_TABLE, 0, f64(code));
  }
  return changetype<Abbreviation>(found);
}

function find(code: u64): usize {
  if (code < u64(table.denseCodes)) return load<usize>(table.dense + usize(code) * sizeof<usize>());
  return table.sparseMask === 0 ? 0 : sparseEntry(table, code).abbreviation;
}

/** The entry of a code, or the empty one where it would be. */
function sparseEntry(table: Table, code: u64): SparseEntry {
  let index = (u32(code) ^ u32(code >> 32)) * 0x9e3779b1;
  let entry = entryAt(table, index);
  while (entry.abbreviation !== 0 && entry.code !== code) entry = entryAt(table, ++index);
  return entry;
}

function entryAt(table: Table, index: u32): SparseEntry {
  return changetype<SparseEntry>(table.sparse + (index & table.sparseMask) * u32(offsetof<SparseEntry>()));
}

/**
 * Reads the table that the input begins with.
 * @param isAll whether the section ends where the input does
 * @param newLayouts of the forms @param newAddressBytes of its units
 * @returns its address, for as long as the kernel is; 0 where it goes on behind the input
 */
export function readTable(start: usize, end: usize, isAll: bool, newLayouts: usize, newAddressBytes: u32): usize {
  const behind = measure(start, end);
  if (behind > end && !isAll) return 0;
  let sparseEntries: u32 = sparseCount === 0 ? 0 : 4;
  while (sparseEntries < sparseCount * 2) sparseEntries *= 2;
  const denseBytes = (denseCodes * sizeof<usize>() + 7) & ~7;
  const sparseBytes = sparseEntries * offsetof<SparseEntry>();
  const declarationBytes = declarationCount * offsetof<Abbreviation>() + attributeCount * offsetof<Attribute>();
  const address = allocate(offsetof<Table>() + denseBytes + sparseBytes + declarationBytes);
  const made = changetype<Table>(address);
  made.dense = address + offsetof<Table>();
  made.denseCodes = denseCodes;
  made.sparse = made.dense + denseBytes;
  made.sparseMask = sparseEntries === 0 ? 0 : sparseEntries - 1;
  made.layouts = newLayouts;
  made.addressBytes = newAddressBytes;
  made.problem = behind > end ? TABLE_TRUNCATED : 0;
  made.problemPosition = u32(behind - start);
  made.problemGot = 0;
  memory.fill(made.dense, 0, denseBytes + sparseBytes);
  addDeclarations(made, start, made.sparse + sparseBytes);
  return address;
}

/** Counts the declarations that are whole. @returns behind the table; behind `end` where it is cut */
function measure(at: usize, end: usize): usize {
  declarationCount = attributeCount = sparseCount = denseCodes = 0;
  while (at <= end) {
    const code = readUnsigned(at);
    at = next;
    if (code === 0 || at > end) break;
    at = skip(at) + 1;
    let attributes: u32 = 0;
    for (; at <= end; attributes++) {
      const attribute = readUnsigned(at);
      const form = readUnsigned(next);
      at = form === IMPLICIT_CONST ? skip(next) : next;
      if (attribute === 0 && form === 0) break;
    }
    if (at > end) break;
    declarationCount++;
    attributeCount += attributes;
    if (code >= MAX_DENSE) sparseCount++;
    else denseCodes = max(denseCodes, u32(code) + 1);
  }
  return at;
}

/** @param at of the first declaration @param into room for all that were measured */
function addDeclarations(made: Table, at: usize, into: usize): void {
  const start = at;
  for (let left = declarationCount; left > 0; left--) {
    const code = readUnsigned(at);
    const abbreviation = changetype<Abbreviation>(into);
    abbreviation.tag = u32(min<u64>(readUnsigned(next), u32.MAX_VALUE));
    abbreviation.hasChildren = load<u8>(next) !== 0;
    at = next + 1;
    into += offsetof<Abbreviation>();
    let count: u32 = 0;
    let fixedBytes = 0;
    let hasCode = false;
    let hasSibling = false;
    for (; ; count++) {
      const number = readUnsigned(at);
      const form = readUnsigned(next);
      at = next;
      const constant = form === IMPLICIT_CONST ? f64(readSigned(at)) : 0;
      if (form === IMPLICIT_CONST) at = next;
      if (number === 0 && form === 0) break;
      const layout = layoutOf(made.layouts, form);
      if (layout === UNKNOWN) {
        made.problem = FORM_NOT_IN_TABLE;
        made.problemPosition = u32(at - start);
        made.problemGot = f64(form);
        return;
      }
      const attribute = changetype<Attribute>(into);
      const field = fieldOf(number);
      attribute.constant = constant;
      attribute.form = u32(form);
      attribute.layout = i16(layout);
      attribute.field = u8(field);
      into += offsetof<Attribute>();
      fixedBytes = layout < 0 || fixedBytes < 0 ? -1 : fixedBytes + layout;
      hasCode = hasCode || field === LOW_PC || field === RANGES;
      hasSibling = hasSibling || field === SIBLING;
    }
    abbreviation.attributeCount = count;
    abbreviation.fixedBytes = fixedBytes;
    abbreviation.kind = kindOf(abbreviation.tag, hasCode, hasSibling);
    const place = code < MAX_DENSE ? made.dense + usize(code) * sizeof<usize>() : sparsePlace(made, code);
    // Of two with one code the first counts.
    if (load<usize>(place) === 0) store<usize>(place, changetype<usize>(abbreviation));
  }
}

function sparsePlace(made: Table, code: u64): usize {
  const entry = sparseEntry(made, code);
  entry.code = code;
  return changetype<usize>(entry) + offsetof<SparseEntry>('abbreviation');
}

function kindOf(tag: u32, hasCode: bool, hasSibling: bool): u8 {
  if (tag === SUBPROGRAM && hasCode) return CONCRETE_FUNCTION;
  if (tag !== INLINED_SUBROUTINE) return OTHER;
  return hasSibling ? CALL_WITH_SIBLING : INLINED_CALL;
}
