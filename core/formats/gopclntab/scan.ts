/** Searching an image for 8-byte words, in pieces, so that a big file is never held whole. */
import type { ImageRange } from '../image.js';

const PIECE_BYTES = 1 << 22;

/**
 * Object addresses in a range, multiples of 8, at which `matches` says yes.
 * @param read bytes at an object address, shorter when there are fewer
 * @param length bytes from the address on that `matches` looks at
 */
export function* scanRange(
  range: ImageRange,
  read: (objectAddress: number, length: number) => Uint8Array,
  length: number,
  matches: (view: DataView, offset: number) => boolean,
): Generator<number> {
  const end = range.objectAddress + range.size;
  let start = Math.ceil(range.objectAddress / 8) * 8;
  while (start + length <= end) {
    const bytes = read(start, Math.min(PIECE_BYTES + length, end - start));
    const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    const last = Math.min(PIECE_BYTES - 8, bytes.length - length);
    for (let offset = 0; offset <= last; offset += 8) {
      if (matches(view, offset)) yield start + offset;
    }
    start += PIECE_BYTES;
  }
}
