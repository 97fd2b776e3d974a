/** Memory as words of four bytes: writing one costs what writing a byte does. */

/** The memory of bytes as a view that reads and writes words. */
export function viewOf(bytes: Uint8Array): DataView {
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
}

/** Bits of up to 28, seven a byte. */
function spread(value: number): number {
  return (value & 0x7f) | ((value & 0x3f80) << 1) | ((value & 0x1fc000) << 2) | ((value & 0xfe00000) << 3);
}

/** Writes a number below 2^28. @returns the position behind it; up to three bytes more are overwritten */
function putShort(words: DataView, pos: number, value: number): number {
  const more = ((127 - value) >>> 31) + ((16383 - value) >>> 31) + ((2097151 - value) >>> 31);
  words.setInt32(pos, spread(value) | (0x808080 >>> (24 - 8 * more)), true);
  return pos + 1 + more;
}

/** Writes a number of 64 bits as a varint. @returns the position behind it; up to three bytes more are overwritten */
export function putVarint(words: DataView, pos: number, lo: number, hi: number): number {
  if (hi === 0 && lo >>> 28 === 0) return putShort(words, pos, lo);
  return putLong(words, pos, lo, hi);
}

function putLong(words: DataView, pos: number, lo: number, hi: number): number {
  words.setInt32(pos, spread(lo) | 0x80808080, true);
  const middle = (lo >>> 28) | (hi << 4);
  const top = hi >>> 28;
  if (top === 0 && middle >>> 28 === 0) return putShort(words, pos + 4, middle);
  words.setInt32(pos + 4, spread(middle) | 0x80808080, true);
  return putShort(words, pos + 8, (middle >>> 28) | (top << 4));
}

/**
 * Writes a field of wire type 0 and of a number under 16, unless it is 0, which is what absence means.
 * @returns the position behind it
 */
export function putField(words: DataView, pos: number, number: number, lo: number, hi: number): number {
  if ((lo | hi) === 0) return pos;
  words.setUint8(pos, number << 3);
  return putVarint(words, pos + 1, lo, hi);
}
