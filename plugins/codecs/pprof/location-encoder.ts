/** Messages Location and Line of a profile. */
import { halves, type Profile, UnknownIn } from '../../../core/index.js';
import { bytesTag, LineField, LocationField, ProfileField } from './fields.js';
import { idHalves, putId } from './id-field.js';
import { FIELD_BYTES, MESSAGE_BYTES, type PieceWriter } from './piece-writer.js';
import { UnknownCursor } from './unknown-cursor.js';
import { putField } from './words.js';

const LOCATION_BYTES = MESSAGE_BYTES + 4 * FIELD_BYTES;
const LINE_BYTES = MESSAGE_BYTES + 3 * FIELD_BYTES;

/** @returns writes locations from a row on until the piece is full, and returns the next row */
export function locationEncoder(profile: Profile, writer: PieceWriter): (from: number) => number {
  const { locations, mappings, unknown } = profile;
  const { length, mapping, isFolded, lineStart } = locations;
  const ids = idHalves(locations.id);
  const mappingIds = idHalves(mappings.id);
  const mappingCount = mappings.length;
  const address = halves(locations.address);
  const putLines = lineEncoder(profile, writer);
  const fields = new UnknownCursor(unknown, UnknownIn.location);

  return (from) => {
    let row = from;
    let pos = writer.pos;
    for (; row < length && pos < writer.fullBytes; row++) {
      let words = writer.reserve(pos, LOCATION_BYTES);
      words.setUint8(pos, bytesTag(ProfileField.location));
      const start = pos + 2;
      pos = putId(words, start, LocationField.id, ids, row);
      // NO_ROW is beyond the table's end: no mapping_id.
      const mappingRow = mapping[row]!;
      if (mappingRow < mappingCount) pos = putId(words, pos, LocationField.mappingId, mappingIds, mappingRow);
      pos = putField(words, pos, LocationField.address, address[2 * row]! | 0, address[2 * row + 1]! | 0);
      pos = putLines(pos, lineStart[row]!, lineStart[row + 1]!);
      words = writer.reserve(pos, FIELD_BYTES + MESSAGE_BYTES);
      pos = putField(words, pos, LocationField.isFolded, isFolded[row]!, 0);
      if (fields.hasMore) pos = fields.write(row, writer, pos);
      pos = writer.close(start, 1, pos);
    }
    writer.pos = pos;
    return row;
  };
}

/** @returns writes lines from `pos` on, makes room for them, and returns the position behind them */
function lineEncoder(profile: Profile, writer: PieceWriter): (pos: number, from: number, to: number) => number {
  const { lines } = profile.locations;
  const functionRows = lines.function;
  const functionIds = idHalves(profile.functions.id);
  const line = halves(lines.line);
  const column = lines.column === undefined ? undefined : halves(lines.column);
  const fields = new UnknownCursor(profile.unknown, UnknownIn.line);
  return (pos, from, to) => {
    let at = pos;
    for (let row = from; row < to; row++) {
      const words = writer.reserve(at, LINE_BYTES);
      words.setUint8(at, bytesTag(LocationField.line));
      const start = at + 2;
      at = putId(words, start, LineField.functionId, functionIds, functionRows[row]!);
      at = putField(words, at, LineField.line, line[2 * row]! | 0, line[2 * row + 1]! | 0);
      if (column !== undefined) {
        at = putField(words, at, LineField.column, column[2 * row]! | 0, column[2 * row + 1]! | 0);
      }
      if (fields.hasMore) at = fields.write(row, writer, at);
      at = writer.close(start, 1, at);
    }
    return at;
  };
}
