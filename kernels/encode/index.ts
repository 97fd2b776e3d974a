/**
 * Writes rows of columns as messages of profile.proto. The host puts columns into the memory (memory.ts), and says what the fields of
 * messages are (fields.ts) and where to write.
 */
import { CHILD, FLAG, ID, PACKED_WIDE, RAW, REFERENCE, SHORT, WIDE } from '../../plugins/codecs/pprof/encode-codes';
import { copyBytes } from './copy';
import { endOf, Field, fieldsOf } from './fields';
import { putShortNumbers } from './short-numbers';
import { close, lengthBytes, putField, putNumber } from './varint';

export { allocate, releaseAll } from '../memory';
export { counts, fields } from './fields';

/** Bytes of the length of the last message, by message: as Field.lengthBytes. */
const gaps: usize = memory.data(64);

/**
 * Writes rows of a message as fields with a tag.
 * @param output where; there is room for the rows at their largest, and 16 bytes more
 * @returns the end
 */
export function encodeRows(message: u32, tag: u32, from: u32, to: u32, output: usize): usize {
  let at = output;
  for (let row = from; row < to; row++) at = putMessage(message, tag, row, at);
  return at;
}

/** The same of strings. @param starts of row 0's string in `bytes`, if they were there, as Field.column */
export function encodeStrings(tag: u32, starts: usize, bytes: usize, from: u32, to: u32, output: usize): usize {
  let at = output;
  for (let row = from; row < to; row++) {
    const start = load<u32>(starts + (row << 2));
    const length = load<u32>(starts + (row << 2), 4) - start;
    store<u8>(at, tag);
    at = putNumber(at + 1, length);
    copyBytes(at, bytes + start, length);
    at += length;
  }
  return at;
}

function putMessage(message: u32, tag: u32, row: u32, at: usize): usize {
  const gap = u32(load<u8>(gaps + message)) + 1;
  const start = at + 1 + gap;
  store<u8>(at, tag);
  let pos = start;
  const end = endOf(message);
  for (let next = fieldsOf(message); next < end; next += offsetof<Field>()) {
    const field = changetype<Field>(next);
    switch (field.kind) {
      case SHORT:
        pos = putField(pos, field.tag, load<u32>(field.column + (row << 2)));
        break;
      case WIDE:
        pos = putField(pos, field.tag, load<u64>(field.column + (row << 3)));
        break;
      case FLAG:
        pos = putField(pos, field.tag, u64((load<u8>(field.column + row) & field.parameter) !== 0));
        break;
      case ID:
        pos = putField(pos, field.tag, idOf(field, row));
        break;
      case REFERENCE: {
        const other = load<u32>(field.column + (row << 2));
        if (other < field.parameter) pos = putField(pos, field.tag, idOf(field, other));
        break;
      }
      case CHILD: {
        const lastChild = load<u32>(field.starts + (row << 2), 4);
        for (let child = load<u32>(field.starts + (row << 2)); child < lastChild; child++) {
          pos = putMessage(field.parameter, field.tag, child, pos);
        }
        break;
      }
      case RAW: {
        const from = load<u32>(field.starts + (row << 2));
        const length = load<u32>(field.starts + (row << 2), 4) - from;
        copyBytes(pos, field.column + from, length);
        pos += length;
        break;
      }
      case PACKED_WIDE:
        pos = putWide(field, row, pos);
        break;
      default:
        pos = putReferences(field, row, pos);
    }
  }
  const closed = close(start, gap, pos);
  store<u8>(gaps + message, u8(lengthBytes - 1));
  return closed;
}

function idOf(field: Field, row: u32): u64 {
  return field.ids === 0 ? u64(row) + 1 : load<u64>(field.ids + (row << 3));
}

function putReferences(field: Field, row: u32, at: usize): usize {
  const from = load<u32>(field.starts + (row << 2));
  const to = load<u32>(field.starts + (row << 2), 4);
  if (from === to) return at;
  store<u8>(at, field.tag);
  const gap = field.lengthBytes;
  const start = at + 1 + gap;
  let pos = start;
  if (field.ids === 0) pos = putRows(pos, field.column + (from << 2), field.column + (to << 2));
  else
    for (let entry = from; entry < to; entry++)
      pos = putNumber(pos, idOf(field, load<u32>(field.column + (entry << 2))));
  const end = close(start, gap, pos);
  field.lengthBytes = lengthBytes;
  return end;
}

/** References to rows whose ids are one more. */
function putRows(at: usize, rows: usize, end: usize): usize {
  let pos = at;
  for (let from = rows; from < end; from += 32) {
    const count = min<u32>(8, u32(end - from) >> 2);
    const bytes = putShortNumbers(pos, from, count);
    if (bytes !== 0) pos += bytes;
    else for (let row: u32 = 0; row < count; row++) pos = putNumber(pos, u64(load<u32>(from + (row << 2))) + 1);
  }
  return pos;
}

function putWide(field: Field, row: u32, at: usize): usize {
  const count = field.parameter;
  if (count === 0) return at;
  store<u8>(at, field.tag);
  const gap = field.lengthBytes;
  const start = at + 1 + gap;
  let pos = start;
  const values = field.column + ((row * count) << 3);
  const last = values + (count << 3);
  for (let value = values; value < last; value += 8) pos = putNumber(pos, load<u64>(value));
  const end = close(start, gap, pos);
  field.lengthBytes = lengthBytes;
  return end;
}
