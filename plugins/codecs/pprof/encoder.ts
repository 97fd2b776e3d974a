/**
 * A Profile as a profile.proto message, in pieces.
 *
 * Fields stand in the order of their numbers, numbers that are 0 are left out, repeated numbers are packed, unknown fields stand at
 * the end of their message: one profile has one encoding. Rows, ids and strings keep their places.
 */
import type { Profile } from '../../../core/index.js';
import { UnknownIn } from '../../../core/index.js';
import { bytesTag, ProfileField } from './fields.js';
import { functionEncoder } from './function-encoder.js';
import { encodeHeader, encodeSampleTypes } from './header.js';
import { locationEncoder } from './location-encoder.js';
import { mappingEncoder } from './mapping-encoder.js';
import { MESSAGE_BYTES, PieceWriter, varintSize } from './piece-writer.js';
import { sampleEncoder } from './sample-encoder.js';
import { UnknownCursor } from './unknown-cursor.js';
import { viewOf } from './words.js';

/** Large enough to compress well, small enough that several are deflated side by side. */
const PIECE_BYTES = 512 * 1024;

/** The cuts between pieces depend on the profile alone. */
export function* encodePieces(profile: Profile): Generator<Uint8Array, void, undefined> {
  const writer = new PieceWriter(PIECE_BYTES);
  writeBytes(writer, encodeSampleTypes(profile));
  yield* encodeRows(writer, profile.samples.length, sampleEncoder(profile, writer));
  yield* encodeRows(writer, profile.mappings.length, mappingEncoder(profile, writer));
  yield* encodeRows(writer, profile.locations.length, locationEncoder(profile, writer));
  yield* encodeRows(writer, profile.functions.length, functionEncoder(profile, writer));
  yield* encodeRows(writer, profile.strings.length, stringEncoder(profile, writer));
  writeBytes(writer, encodeHeader(profile));
  writer.pos = new UnknownCursor(profile.unknown, UnknownIn.profile).write(0, writer, writer.pos);
  yield writer.take();
}

/** @param encodeFrom writes rows from one on until the piece is full, and returns the next row */
function* encodeRows(
  writer: PieceWriter,
  length: number,
  encodeFrom: (from: number) => number,
): Generator<Uint8Array, void, undefined> {
  for (let row = 0; row < length; ) {
    row = encodeFrom(row);
    if (writer.pos >= writer.fullBytes) yield writer.take();
  }
}

function writeBytes(writer: PieceWriter, bytes: Uint8Array): void {
  writer.reserve(writer.pos, bytes.length);
  writer.pos = writer.copy(writer.pos, bytes, viewOf(bytes), 0, bytes.length);
}

function stringEncoder(profile: Profile, writer: PieceWriter): (from: number) => number {
  const { length, bytes, starts } = profile.strings;
  const source = viewOf(bytes);
  return (from) => {
    let row = from;
    let pos = writer.pos;
    for (; row < length && pos < writer.fullBytes; row++) {
      const start = starts[row]!;
      const end = starts[row + 1]!;
      const words = writer.reserve(pos, MESSAGE_BYTES + end - start);
      words.setUint8(pos, bytesTag(ProfileField.stringTable));
      const gap = varintSize(end - start);
      const textStart = pos + 1 + gap;
      pos = writer.close(textStart, gap, writer.copy(textStart, bytes, source, start, end));
    }
    writer.pos = pos;
    return row;
  };
}
