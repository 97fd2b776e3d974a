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
import { fieldOf, tableOf } from './tables';
import { number, readNumber, readTag } from './varint';

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
    let value = u64(load<u8>(at));
    let next = at + 1;
    if (value >= 128) {
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
        // `next` may be behind the end by a byte that is not there.
        if (next > end || value > u64(end - next))
          failHere(LENGTH_TOO_LARGE, 0, pos, value, u64(end) - u64(min(next, end)));
        const last = next + usize(value);
        if (kind === PACKED_STACK) addPackedIds(next, last);
        else if (kind === PACKED_VALUES) addPackedValues(next, last);
        else {
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
  if (table.references !== 0) {
    const less = u32(reference) - 1;
    store<u32>(table.references + (table.rows << 2), less);
    if (less > table.maxReference) table.maxReference = less;
    addHighHalf(message, row, reference);
  }
  table.rows++;
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
