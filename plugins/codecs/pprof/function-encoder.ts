/** Messages Function of a profile. */
import { halves, type Profile, UnknownIn } from '../../../core/index.js';
import { bytesTag, FunctionField, ProfileField } from './fields.js';
import { idHalves, putId } from './id-field.js';
import { FIELD_BYTES, MESSAGE_BYTES, type PieceWriter } from './piece-writer.js';
import { UnknownCursor } from './unknown-cursor.js';
import { putField } from './words.js';

const FUNCTION_BYTES = MESSAGE_BYTES + 5 * FIELD_BYTES;

/** @returns writes functions from a row on until the piece is full, and returns the next row */
export function functionEncoder(profile: Profile, writer: PieceWriter): (from: number) => number {
  const { functions, unknown } = profile;
  const { length, name, systemName, filename } = functions;
  const ids = idHalves(functions.id);
  const startLine = halves(functions.startLine);
  const fields = new UnknownCursor(unknown, UnknownIn.function);

  return (from) => {
    let row = from;
    let pos = writer.pos;
    for (; row < length && pos < writer.fullBytes; row++) {
      const words = writer.reserve(pos, FUNCTION_BYTES);
      words.setUint8(pos, bytesTag(ProfileField.function));
      const start = pos + 2;
      pos = putId(words, start, FunctionField.id, ids, row);
      pos = putField(words, pos, FunctionField.name, name[row]! | 0, 0);
      pos = putField(words, pos, FunctionField.systemName, systemName[row]! | 0, 0);
      pos = putField(words, pos, FunctionField.filename, filename[row]! | 0, 0);
      pos = putField(words, pos, FunctionField.startLine, startLine[2 * row]! | 0, startLine[2 * row + 1]! | 0);
      if (fields.hasMore) pos = fields.write(row, writer, pos);
      writer.reserve(pos, MESSAGE_BYTES);
      pos = writer.close(start, 1, pos);
    }
    writer.pos = pos;
    return row;
  };
}
