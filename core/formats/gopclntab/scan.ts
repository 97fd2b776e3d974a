/** Searching an image for 8-byte words, in pieces, so that a big file is never held whole. */
import type { ImageRange } from '../image.js';
import type { Budget } from '../limits.js';

const PIECE_BYTES = 1 << 22;

/**
 * Object addresses in a range, multiples of 8, of what is searched for.
 * @param read bytes at an object address, shorter when there are fewer
 * @param length bytes from the address on that `find` looks at
 * @param budget of the whole search: its steps are the words
 * @param find first offset that matches, of `from`, `from` + 8 … up to `last`; −1 for none
 * @throws FormatError E_LIMIT for more words than the budget has steps
 */
export function* scanRange(
  range: ImageRange,
  read: (objectAddress: number, length: number) => Uint8Array,
  length: number,
  budget: Budget,
  find: (view: DataView, from: number, last: number) => number,
): Generator<number> {
  const end = range.objectAddress + range.size;
  let start = Math.ceil(range.objectAddress / 8) * 8;
  while (start + length <= end) {
    const bytes = read(start, Math.min(PIECE_BYTES + length, end - start));
    budget.spend('steps', Math.ceil(bytes.length / 8), { section: range.name });
    const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    const last = Math.min(PIECE_BYTES - 8, bytes.length - length);
    for (let from = 0; from <= last; ) {
      const found = find(view, from, last);
      if (found < 0) break;
      yield start + found;
      from = found + 8;
    }
    start += PIECE_BYTES;
  }
}
