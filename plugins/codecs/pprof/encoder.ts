/**
 * A Profile as a profile.proto message, in pieces.
 *
 * Fields stand in the order of their numbers, numbers that are 0 are left out, repeated numbers are packed, unknown fields stand at
 * the end of their message: one profile has one encoding. Rows, ids and strings keep their places.
 */
import type { Profile } from '../../../core/index.js';
import { UnknownIn } from '../../../core/index.js';
import { bytesTag, ProfileField } from './fields.js';
import { encodeHeader, encodeSampleTypes } from './header.js';
import { functionColumns, locationColumns, mappingColumns, sampleColumns, unknownRows } from './message-columns.js';
import { encodeStrings, encodeTable } from './row-encoder.js';

/** Large enough to compress well, small enough that several are deflated side by side. */
const PIECE_BYTES = 512 * 1024;

/** Memory that a piece is put together in, between one profile and the next: most are much smaller than it. */
let spare: Uint8Array | undefined;

/** The cuts between pieces depend on the bytes alone. Each piece has memory of its own. */
export function* encodePieces(profile: Profile): Generator<Uint8Array, void, undefined> {
  let piece = spare ?? Buffer.allocUnsafeSlow(PIECE_BYTES);
  // Another profile may be encoded before this one is done.
  spare = undefined;
  let length = 0;
  for (const block of encodeBlocks(profile)) {
    for (let at = 0; at < block.length; ) {
      const part = block.subarray(at, at + PIECE_BYTES - length);
      piece.set(part, length);
      length += part.length;
      at += part.length;
      if (length < PIECE_BYTES) continue;
      yield piece;
      piece = Buffer.allocUnsafeSlow(PIECE_BYTES);
      length = 0;
    }
  }
  yield piece.slice(0, length);
  spare = piece;
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
