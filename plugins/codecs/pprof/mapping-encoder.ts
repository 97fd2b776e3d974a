/** Messages Mapping of a profile. */
import { halves, MappingFlag, type Profile, UnknownIn } from '../../../core/index.js';
import { bytesTag, MappingField, ProfileField } from './fields.js';
import { idHalves, putId } from './id-field.js';
import { FIELD_BYTES, MESSAGE_BYTES, type PieceWriter } from './piece-writer.js';
import { UnknownCursor } from './unknown-cursor.js';
import { putField } from './words.js';

const MAPPING_BYTES = MESSAGE_BYTES + 10 * FIELD_BYTES;

/** @returns writes mappings from a row on until the piece is full, and returns the next row */
export function mappingEncoder(profile: Profile, writer: PieceWriter): (from: number) => number {
  const { mappings, unknown } = profile;
  const { length, filename, buildId } = mappings;
  const ids = idHalves(mappings.id);
  const memoryStart = halves(mappings.memoryStart);
  const memoryLimit = halves(mappings.memoryLimit);
  const fileOffset = halves(mappings.fileOffset);
  const fields = new UnknownCursor(unknown, UnknownIn.mapping);

  return (from) => {
    let row = from;
    let pos = writer.pos;
    for (; row < length && pos < writer.fullBytes; row++) {
      const words = writer.reserve(pos, MAPPING_BYTES);
      words.setUint8(pos, bytesTag(ProfileField.mapping));
      const start = pos + 2;
      const wide = (field: number, column: Uint32Array) => {
        pos = putField(words, pos, field, column[2 * row]! | 0, column[2 * row + 1]! | 0);
      };
      const flags = mappings.flags[row]!;
      const flag = (field: number, bit: number) => {
        pos = putField(words, pos, field, (flags & bit) === 0 ? 0 : 1, 0);
      };
      pos = putId(words, start, MappingField.id, ids, row);
      wide(MappingField.memoryStart, memoryStart);
      wide(MappingField.memoryLimit, memoryLimit);
      wide(MappingField.fileOffset, fileOffset);
      pos = putField(words, pos, MappingField.filename, filename[row]! | 0, 0);
      pos = putField(words, pos, MappingField.buildId, buildId[row]! | 0, 0);
      flag(MappingField.hasFunctions, MappingFlag.hasFunctions);
      flag(MappingField.hasFilenames, MappingFlag.hasFilenames);
      flag(MappingField.hasLineNumbers, MappingFlag.hasLineNumbers);
      flag(MappingField.hasInlineFrames, MappingFlag.hasInlineFrames);
      if (fields.hasMore) pos = fields.write(row, writer, pos);
      writer.reserve(pos, MESSAGE_BYTES);
      pos = writer.close(start, 1, pos);
    }
    writer.pos = pos;
    return row;
  };
}
