/**
 * Memory that encoded messages are written into, a piece at a time.
 *
 * protobufjs' Writer keeps an object per number until the end: right for the few messages of a header (header.ts uses it), too
 * slow for millions of numbers. Here numbers go straight into the piece (words.ts), with the position in a local of whoever writes;
 * the length of a nested message, which is known only behind it, is written over a gap that is left for it.
 */

/** The longest varint. */
export const VARINT_BYTES = 10;
/** The longest tag and varint of a field below 16. */
export const FIELD_BYTES = 11;
/** Tag and length of a nested message. */
export const MESSAGE_BYTES = 6;

/** Room behind what is written: numbers are stored as words of four bytes, whatever they need. */
const SLACK_BYTES = 16;

export class PieceWriter {
  /** From this position on a piece is full. */
  readonly fullBytes: number;
  /** Where the next byte goes. Who writes hands it back here when done. */
  pos = 0;
  #bytes: Uint8Array;
  #words: DataView;

  constructor(fullBytes: number) {
    this.fullBytes = fullBytes;
    this.#bytes = new Uint8Array(fullBytes + 4096);
    this.#words = new DataView(this.#bytes.buffer);
  }

  /** What was written since the last call; its memory is the caller's. */
  take(): Uint8Array {
    const piece = this.#bytes.subarray(0, this.pos);
    this.#use(new Uint8Array(this.fullBytes + 4096));
    this.pos = 0;
    return piece;
  }

  /** Makes room for so many bytes at `pos`. @returns the memory, until the next call */
  reserve(pos: number, count: number): DataView {
    const wanted = pos + count + SLACK_BYTES;
    if (wanted > this.#bytes.length) {
      const grown = new Uint8Array(wanted + (wanted >>> 1));
      grown.set(this.#bytes.subarray(0, pos));
      this.#use(grown);
    }
    return this.#words;
  }

  #use(bytes: Uint8Array<ArrayBuffer>): void {
    this.#bytes = bytes;
    this.#words = new DataView(bytes.buffer);
  }

  /**
   * Copies `source[start, end)` to `pos`, for which there is room.
   * @param sourceWords the same memory as `source` @returns the position behind it
   */
  copy(pos: number, source: Uint8Array, sourceWords: DataView, start: number, end: number): number {
    const count = end - start;
    // A call of `set` costs as much as some hundred bytes word by word.
    if (count > 200 || end + 3 > source.length) this.#bytes.set(source.subarray(start, end), pos);
    else {
      const words = this.#words;
      for (let i = 0; i < count; i += 4) words.setInt32(pos + i, sourceWords.getInt32(start + i, true), true);
    }
    return pos + count;
  }

  /**
   * Ends a nested message, or packed numbers: writes the length into the gap before it, which is made wider or narrower if need be.
   * @param start of the message, behind the gap; @param end of it, behind which there is room for a wider gap
   * @returns the message's end then
   */
  close(start: number, gap: number, end: number): number {
    const words = this.#words;
    const size = end - start;
    if (gap === 1 && size < 128) {
      words.setUint8(start - 1, size);
      return end;
    }
    const wanted = varintSize(size);
    if (wanted !== gap) this.#bytes.copyWithin(start - gap + wanted, start, end);
    // Byte by byte: what stands behind must stay.
    let rest = size;
    let at = start - gap;
    for (; rest > 127; rest >>>= 7) words.setUint8(at++, (rest & 127) | 128);
    words.setUint8(at++, rest);
    return at + size;
  }
}

/** Bytes of the varint of a length. */
export function varintSize(value: number): number {
  if (value < 2 ** 7) return 1;
  if (value < 2 ** 14) return 2;
  if (value < 2 ** 21) return 3;
  return value < 2 ** 28 ? 4 : 5;
}
