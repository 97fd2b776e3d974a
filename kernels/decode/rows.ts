/** Rows of messages: the only place that walks over fields. */
import {
  FIELD_ZERO,
  FIXED_TRUNCATED,
  FLAG,
  ID,
  KNOWN_WIRE_TYPE,
  LENGTH_TOO_LARGE,
  LINE,
  LOCATION,
  NO_STRING_INDEX,
  NUMBER_TRUNCATED,
  PACKED_STACK,
  PACKED_VALUES,
  RARE,
  REFERENCE,
  SAMPLE,
  STACK,
  STRING,
  TOO_MANY_ROWS,
  UNKNOWN_WIRE_TYPE,
  VALUE,
  WIDE,
  WRONG_TYPE,
} from '../../plugins/codecs/pprof/kernel-codes';
import { tableRows } from './limits';
import { enterRow, failHere } from './place';
import { beginSample, endSample } from './samples';
import { addHighHalf, addUnknown } from './side-lists';
import { addLocationId, addPackedIds, addPackedValues, addValue } from './stacks';
import { fieldOf, Table, tableOf } from './tables';
import { number, numberIn, readNumber, readTag, sizeOfNumber } from './varint';

/** The largest of all STRING fields. */
export let maxString: u32 = 0;

export function forgetMaxString(): void {
  maxString = 0;
}

/** The message from `start` to `end` as the next row of its table, and what it has as rows of others. */
export function addRow(message: i32, start: usize, end: usize): void {
  const table = tableOf(message);
  const row = table.taken + table.rows;
  enterRow(message, row);
  if (row >= tableRows) failHere(TOO_MANY_ROWS, 0, start, u64(row) + 1);
  if (message === SAMPLE) beginSample();
  else if (message === LOCATION) {
    const lines = tableOf(LINE);
    store<u32>(table.starts + (table.rows << 2), lines.taken + lines.rows);
  }
  let id: u64 = 0;
  let reference: u64 = 0;
  let pos = start;
  while (pos < end) {
    let tag = u32(load<u8>(pos));
    let at = pos + 1;
    if (tag >= 128) {
      at = readTag(pos, end);
      tag = u32(number);
    }
    const field = fieldOf(message, tag & 127);
    const kind = tag < 128 ? field.kind : 0;
    if (kind <= WRONG_TYPE) {
      if (kind === WRONG_TYPE) failHere(KNOWN_WIRE_TYPE, tag >> 3, pos, tag & 7);
      const next = unknownEnd(tag, pos, at, end);
      addUnknown(message, row, pos, next);
      pos = next;
      continue;
    }
    const word = load<u64>(at);
    const size = sizeOfNumber(word);
    let value = numberIn(word, size);
    let next = at + size;
    if (size > 8 || next > end) {
      next = readNumber(at, end);
      value = number;
    }
    switch (kind) {
      case ID:
        id = value;
        break;
      case REFERENCE:
        reference = value;
        break;
      case STRING:
        if (value > u64(i32.MAX_VALUE)) failHere(NO_STRING_INDEX, tag >> 3, pos, value);
        if (u32(value) > maxString) maxString = u32(value);
        store<u32>(field.column + (table.rows << 2), u32(value));
        break;
      case RARE:
        if (value !== 0) table.hasRare = 1;
        store<u64>(field.column + (table.rows << 3), value);
        break;
      case WIDE:
        store<u64>(field.column + (table.rows << 3), value);
        break;
      case FLAG: {
        const others = u32(load<u8>(field.column + table.rows)) & ~field.parameter;
        store<u8>(field.column + table.rows, value !== 0 ? others | field.parameter : others);
        break;
      }
      case STACK:
        addLocationId(value);
        break;
      case VALUE:
        addValue(value);
        break;
      default: {
        if (value > u64(end - next)) failHere(LENGTH_TOO_LARGE, 0, pos, value, u64(end - next));
        const last = next + usize(value);
        if (kind === PACKED_STACK) addPackedIds(next, last);
        else if (kind === PACKED_VALUES) addPackedValues(next, last);
        else if (!addShortRow(field.parameter, next, last)) {
          addRow(field.parameter, next, last);
          enterRow(message, row);
        }
        next = last;
      }
    }
    pos = next;
  }
  if (pos !== end) failHere(NUMBER_TRUNCATED, 0, end);
  if (message === SAMPLE) endSample(row, end);
  if (table.ids !== 0) {
    store<u64>(table.ids + (table.rows << 3), id);
    if (id !== u64(row) + 1) table.hasOtherIds = 1;
  }
  if (table.references !== 0) addReference(table, message, reference);
  table.rows++;
}

/** Of the row that is being read. */
function addReference(table: Table, message: i32, reference: u64): void {
  const less = u32(reference) - 1;
  store<u32>(table.references + (table.rows << 2), less);
  if (less > table.maxReference) table.maxReference = less;
  addHighHalf(message, table.taken + table.rows, reference);
}

/**
 * The same, for a row that is only numbers of up to eight bytes, as nearly all rows within others are: without what any field may need.
 *
 * @returns whether it was one; else nothing was added
 */
export function addShortRow(message: i32, start: usize, end: usize): boolean {
  const table = tableOf(message);
  if (table.taken + table.rows >= tableRows) return false;
  let reference: u64 = 0;
  let largest = maxString;
  let pos = start;
  while (pos < end) {
    const tag = u32(load<u8>(pos));
    const word = load<u64>(pos, 1);
    const size = sizeOfNumber(word);
    if (tag >= 128 || size > 8) return false;
    const value = numberIn(word, size);
    pos += 1 + size;
    const field = fieldOf(message, tag);
    if (field.kind === STRING) {
      if (value > u64(i32.MAX_VALUE)) return false;
      largest = max(largest, u32(value));
      store<u32>(field.column + (table.rows << 2), u32(value));
    } else if (field.kind === WIDE) store<u64>(field.column + (table.rows << 3), value);
    else if (field.kind === REFERENCE) reference = value;
    else return false;
  }
  if (pos !== end) return false;
  maxString = largest;
  if (table.references !== 0) addReference(table, message, reference);
  table.rows++;
  return true;
}

/** Where an unknown field ends. @param at behind its tag */
function unknownEnd(tag: u32, pos: usize, at: usize, end: usize): usize {
  const wireType = tag & 7;
  const field = tag >> 3;
  if (field === 0) failHere(FIELD_ZERO, 0, pos);
  if (wireType === 0) return readNumber(at, end);
  if (wireType === 2) {
    const next = readNumber(at, end);
    if (number > u64(end - next)) failHere(LENGTH_TOO_LARGE, 0, pos, number, end - next);
    return next + usize(number);
  }
  if (wireType !== 1 && wireType !== 5) failHere(UNKNOWN_WIRE_TYPE, field, pos, wireType);
  const next = at + (wireType === 1 ? 8 : 4);
  if (next > end) failHere(FIXED_TRUNCATED, 0, pos);
  return next;
}
