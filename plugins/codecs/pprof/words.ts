/**
 * Memory as words of four bytes: reading one costs what reading a byte does, and a varint in it is decoded without a branch on its
 * length, which no processor can foresee.
 */

/** The memory of bytes as a view that reads and writes words. */
export function viewOf(bytes: Uint8Array): DataView {
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
}

/** Of a word that a varint starts: the highest bit of its last byte. 0 when it goes on behind the word. */
export function endBit(word: number): number {
  const ends = ~word & 0x80808080;
  return ends & -ends;
}

/** Bytes of the varint that ends with `bit`: 1 … 4, or 0 for 0. */
export function bytesTo(bit: number): number {
  return (39 - Math.clz32(bit)) >>> 3;
}

/** The number that the bytes of a varint make: 28 bits for four. @param bits without the bits from the varint's end bit on */
export function sevens(bits: number): number {
  return (bits & 0x7f) | ((bits >>> 1) & 0x3f80) | ((bits >>> 2) & 0x1fc000) | ((bits >>> 3) & 0xfe00000);
}

/** Bits of up to 28 as the sevens of a varint's four bytes: what `sevens` takes. */
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
