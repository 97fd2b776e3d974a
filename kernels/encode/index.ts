/**
 * Writes rows of columns as messages of profile.proto. The host puts columns into the memory (memory.ts), and says what the fields of
 * messages are (fields.ts) and where to write.
 */
import { CHILD, FLAG, ID, PACKED_WIDE, RAW, REFERENCE, SHORT, WIDE } from '../../plugins/codecs/pprof/encode-codes';
import { copyBytes } from './copy';
import { countOf, Field, fieldOf } from './fields';
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
  const count = countOf(message);
  for (let index: u32 = 0; index < count; index++) {
    const field = fieldOf(message, index);
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
        const end = load<u32>(field.starts + (row << 2), 4);
        for (let child = load<u32>(field.starts + (row << 2)); child < end; child++) {
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
      default:
        pos = putPacked(field, row, pos);
    }
  }
  const end = close(start, gap, pos);
  store<u8>(gaps + message, u8(lengthBytes - 1));
  return end;
}

function idOf(field: Field, row: u32): u64 {
  return field.ids === 0 ? u64(row) + 1 : load<u64>(field.ids + (row << 3));
}

function putPacked(field: Field, row: u32, at: usize): usize {
  const isWide = field.kind === PACKED_WIDE;
  let from = isWide ? row * field.parameter : load<u32>(field.starts + (row << 2));
  const to = isWide ? from + field.parameter : load<u32>(field.starts + (row << 2), 4);
  if (from === to) return at;
  store<u8>(at, field.tag);
  const gap = field.lengthBytes;
  const start = at + 1 + gap;
  let pos = start;
  if (isWide) for (; from < to; from++) pos = putNumber(pos, load<u64>(field.column + (from << 3)));
  else if (field.ids === 0)
    for (; from < to; from++) pos = putNumber(pos, u64(load<u32>(field.column + (from << 2))) + 1);
  else for (; from < to; from++) pos = putNumber(pos, idOf(field, load<u32>(field.column + (from << 2))));
  const end = close(start, gap, pos);
  field.lengthBytes = lengthBytes;
  return end;
}
