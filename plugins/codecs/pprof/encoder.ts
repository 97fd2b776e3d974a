/**
 * A Profile as a profile.proto message, in pieces.
 *
 * Fields stand in the order of their numbers, numbers that are 0 are left out, repeated numbers are packed, unknown fields stand at
 * the end of their message: one profile has one encoding. Rows, ids and strings keep their places.
 */
import type { Profile } from '../../../core/index.js';
import { HELD_PIECES, UnknownIn } from '../../../core/index.js';
import { bytesTag, ProfileField } from './fields.js';
import { encodeHeader, encodeSampleTypes } from './header.js';
import { functionColumns, locationColumns, mappingColumns, sampleColumns, unknownRows } from './message-columns.js';
import { encodeStrings, encodeTable } from './row-encoder.js';

/** Large enough to compress well, small enough that several are deflated side by side. */
const PIECE_BYTES = 512 * 1024;

/**
 * The cuts between pieces depend on the bytes alone.
 *
 * @param rooms memory of pieces, made as it is needed: a piece is good until that of the next but HELD_PIECES is asked for. Without them
 *   each has memory of its own.
 */
export function* encodePieces(profile: Profile, rooms?: Uint8Array[]): Generator<Uint8Array, void, undefined> {
  const newRoom = () => Buffer.allocUnsafeSlow(PIECE_BYTES);
  const roomOf = (index: number) => {
    if (rooms === undefined) return newRoom();
    rooms[index % HELD_PIECES] ??= newRoom();
    return rooms[index % HELD_PIECES]!;
  };
  let index = 0;
  let piece: Uint8Array = roomOf(index);
  let length = 0;
  for (const block of encodeBlocks(profile)) {
    for (let at = 0; at < block.length; ) {
      const part = block.subarray(at, at + PIECE_BYTES - length);
      piece.set(part, length);
      length += part.length;
      at += part.length;
      if (length < PIECE_BYTES) continue;
      yield piece;
      piece = roomOf(++index);
      length = 0;
    }
  }
  yield rooms === undefined ? piece.slice(0, length) : piece.subarray(0, length);
}

/** Blocks are good until the next one is asked for. */
function* encodeBlocks(profile: Profile): Generator<Uint8Array, void, undefined> {
  yield encodeSampleTypes(profile);
  yield* encodeTable(sampleColumns(profile), bytesTag(ProfileField.sample));
  yield* encodeTable(mappingColumns(profile), bytesTag(ProfileField.mapping));
  yield* encodeTable(locationColumns(profile), bytesTag(ProfileField.location));
  yield* encodeTable(functionColumns(profile), bytesTag(ProfileField.function));
  yield* encodeStrings(profile.strings, bytesTag(ProfileField.stringTable));
  yield encodeHeader(profile);
  const unknown = unknownRows(profile.unknown, UnknownIn.profile);
  if (unknown !== undefined) {
    const { starts, bytes } = unknown.fields;
    yield bytes.subarray(starts[unknown.from], starts[unknown.to]);
  }
}
