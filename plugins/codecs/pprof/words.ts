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
