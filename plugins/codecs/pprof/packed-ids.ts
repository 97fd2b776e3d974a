/** Packed location ids: most bytes of most profiles. */
import { NO_ROW } from '../../../core/index.js';
import { grownCapacity } from './columns.js';
import type { ReferenceColumn } from './ids.js';
import type { WireReader } from './wire-reader.js';
import { bytesTo, endBit, sevens } from './words.js';

/**
 * Appends the ids of `reader.buf[start, end)`: four of one byte at once, else two that fit a word, else one. Those are branches that a
 * processor can foresee; the length of a single id is not. All is cut to 32 bits, else the compiler counts in floating point.
 * @param used length of the column before @returns and after
 * @throws FormatError E_TRUNCATED, E_VARINT
 */
export function appendPackedIds(
  reader: WireReader,
  references: ReferenceColumn,
  used: number,
  start: number,
  end: number,
): number {
  const column = references.rows;
  // The last of four is written before it is known to be there.
  const wanted = used + end - start + 4;
  if (wanted > column.data.length) column.reserve(grownCapacity(column.data.length, wanted), used);
  const { data } = column;
  const { words } = reader;
  let length = used | 0;
  let pos = start | 0;
  let max = -1;
  /** Rows of ids of one byte, or-ed: four bytes. */
  let small = 0;
  /** Rows of the others, or-ed: negative when an id is 0. */
  let all = 0;
  while (pos < end) {
    const word = words.getInt32(pos, true);
    const four = (word - 0x01010101) | 0;
    if (((word | four) & 0x80808080) === 0 && pos + 4 <= end) {
      data[length] = four & 127;
      data[length + 1] = (four >>> 8) & 127;
      data[length + 2] = (four >>> 16) & 127;
      data[length + 3] = four >>> 24;
      small |= four;
      length = (length + 4) | 0;
      pos = (pos + 4) | 0;
      continue;
    }
    const bit = endBit(word);
    if (bit === 0) {
      reader.pos = pos;
      reader.varint64();
      references.set(length, reader.lo, reader.hi);
      length = (length + 1) | 0;
      pos = reader.pos | 0;
      continue;
    }
    const size = bytesTo(bit);
    const first = (sevens(word & (bit - 1)) - 1) | 0;
    data[length] = first;
    all |= first;
    if (first > max) max = first;
    const secondBit = endBit(word | (bit - 1) | bit);
    if (secondBit !== 0 && pos + size < end) {
      const second = (sevens((word & (secondBit - 1)) >>> (8 * size)) - 1) | 0;
      data[length + 1] = second;
      all |= second;
      if (second > max) max = second;
      length = (length + 2) | 0;
      pos = (pos + bytesTo(secondBit)) | 0;
    } else {
      length = (length + 1) | 0;
      pos = (pos + size) | 0;
    }
  }
  reader.leave(pos, end);
  if (small !== 0) max = Math.max(max, (small | (small >>> 8) | (small >>> 16) | (small >>> 24)) & 127);
  if (all < 0) max = NO_ROW;
  if (max > references.max) references.max = max;
  return length;
}
