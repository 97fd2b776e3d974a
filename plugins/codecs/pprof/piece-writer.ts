/**
 * protobuf's encoding into pieces of memory.
 *
 * protobufjs' Writer keeps an object per number until the end: right for the few messages of a header (header.ts uses it), too
 * slow for millions of numbers. Here numbers go straight into the piece; the length of a nested message, which is known only behind
 * it, is written over a gap that is left for it.
 */

/** Room behind what is written: numbers are stored as words of four bytes, whatever they need. */
const SLACK_BYTES = 16;

export class PieceWriter {
  readonly #pieceBytes: number;
  #buffer: Uint8Array;
  #words: DataView;
  #pos = 0;

  /** @param pieceBytes from this size on a piece is full */
  constructor(pieceBytes: number) {
    this.#pieceBytes = pieceBytes;
    this.#buffer = new Uint8Array(pieceBytes + 4096);
    this.#words = new DataView(this.#buffer.buffer);
  }

  get isFull(): boolean {
    return this.#pos >= this.#pieceBytes;
  }

  /** What was written since the last call; its memory is the caller's. */
  take(): Uint8Array {
    const piece = this.#buffer.subarray(0, this.#pos);
    this.#use(new Uint8Array(this.#pieceBytes + 4096));
    this.#pos = 0;
    return piece;
  }

  /** Makes room: all the calls below write without looking. */
  reserve(bytes: number): void {
    const wanted = this.#pos + bytes + SLACK_BYTES;
    if (wanted <= this.#buffer.length) return;
    const grown = new Uint8Array(wanted + (wanted >>> 1));
    grown.set(this.#buffer.subarray(0, this.#pos));
    this.#use(grown);
  }

  #use(buffer: Uint8Array): void {
    this.#buffer = buffer;
    this.#words = new DataView(buffer.buffer);
  }

  /** Up to 5 bytes. @param value its low 32 bits count */
  varint(value: number): void {
    let rest = value | 0;
    if (rest >>> SHORT_BITS === 0) {
      const second = (127 - rest) >>> 31;
      const third = (16383 - rest) >>> 31;
      this.#words.setInt32(this.#pos, shortVarint(rest, second, third), true);
      this.#pos += 1 + second + third;
      return;
    }
    let pos = this.#pos;
    for (; rest >>> 7 !== 0; rest >>>= 7) this.#words.setUint8(pos++, (rest & 127) | 128);
    this.#words.setUint8(pos++, rest);
    this.#pos = pos;
  }

  /** Up to 10 bytes. */
  varint64(lo: number, hi: number): void {
    let low = lo | 0;
    let high = hi | 0;
    for (; high !== 0; high >>>= 7) {
      this.#words.setUint8(this.#pos++, (low & 127) | 128);
      low = (low >>> 7) | (high << 25);
    }
    this.varint(low);
  }

  /** A field of wire type 0 and of a number under 16, unless it is 0, which is what absence means. */
  field(number: number, value: number): void {
    const low = value | 0;
    if (low === 0) return;
    if (low >>> SHORT_BITS === 0) {
      const second = (127 - low) >>> 31;
      const third = (16383 - low) >>> 31;
      this.#words.setInt32(this.#pos, (number << 3) | (shortVarint(low, second, third) << 8), true);
      this.#pos += 2 + second + third;
      return;
    }
    this.#words.setUint8(this.#pos++, number << 3);
    this.varint(low);
  }

  field64(number: number, lo: number, hi: number): void {
    if ((hi | 0) === 0) {
      this.field(number, lo);
      return;
    }
    this.#words.setUint8(this.#pos++, number << 3);
    this.varint64(lo, hi);
  }

  /**
   * Numbers that are one more than given, one behind the other: ids that are rows. All is cut to 32 bits, else the compiler counts in
   * floating point, and nothing is called: this loop writes most of the bytes.
   */
  varintsOfRows(rows: Uint32Array, from: number, to: number): void {
    const words = this.#words;
    const end = to | 0;
    let pos = this.#pos | 0;
    for (let i = from | 0; i < end; i = (i + 1) | 0) {
      const value = ((rows[i]! | 0) + 1) | 0;
      if (value >>> SHORT_BITS === 0) {
        const second = (127 - value) >>> 31;
        const third = (16383 - value) >>> 31;
        const bits = (value & 0x7f) | ((value & 0x3f80) << 1) | ((value & 0x1fc000) << 2);
        words.setInt32(pos, bits | (second << 7) | (third << 15), true);
        pos = (pos + 1 + second + third) | 0;
      } else {
        this.#pos = pos;
        this.varint(value);
        pos = this.#pos | 0;
      }
    }
    this.#pos = pos;
  }

  /** `source[start, end)`. @param sourceWords the same memory */
  bytes(source: Uint8Array, sourceWords: DataView, start: number, end: number): void {
    const count = end - start;
    const pos = this.#pos;
    this.#pos = pos + count;
    // A call of `set` costs as much as some hundred bytes word by word.
    if (count > 200 || end + 3 > source.length) this.#buffer.set(source.subarray(start, end), pos);
    else {
      const words = this.#words;
      for (let i = 0; i < count; i += 4) words.setInt32(pos + i, sourceWords.getInt32(start + i, true), true);
    }
  }

  /** `count` bytes to a place a few bytes before or behind: word by word from the side that is moved to. */
  #move(from: number, to: number, count: number): void {
    if (count > 500) {
      this.#buffer.copyWithin(to, from, from + count);
      return;
    }
    const words = this.#words;
    if (to < from) {
      for (let i = 0; i < count; i += 4) words.setInt32(to + i, words.getInt32(from + i, true), true);
      return;
    }
    let i = count;
    for (; i >= 4; i -= 4) words.setInt32(to + i - 4, words.getInt32(from + i - 4, true), true);
    for (; i > 0; i--) words.setUint8(to + i - 1, words.getUint8(from + i - 1));
  }

  /**
   * Starts a nested message or packed numbers.
   * @param number field number, under 16
   * @param expectedBytes a guess at the size: a wrong one costs a move of what is written
   * @returns what `end` wants
   */
  begin(number: number, expectedBytes: number): number {
    this.#words.setUint8(this.#pos++, (number << 3) | 2);
    const start = this.#pos;
    const gap = varintSize(expectedBytes);
    this.#pos += gap;
    return start * 8 + gap;
  }

  end(begun: number): void {
    const gap = begun & 7;
    const start = (begun - gap) / 8;
    const size = this.#pos - start - gap;
    const wanted = varintSize(size);
    if (wanted !== gap) this.#move(start + gap, start + wanted, size);
    // Byte by byte: what stands behind must stay.
    let rest = size;
    let at = start;
    for (; rest > 127; rest >>>= 7) this.#words.setUint8(at++, (rest & 127) | 128);
    this.#words.setUint8(at++, rest);
    this.#pos = at + size;
  }
}

function varintSize(value: number): number {
  if (value < 2 ** 7) return 1;
  if (value < 2 ** 14) return 2;
  if (value < 2 ** 21) return 3;
  return value < 2 ** 28 ? 4 : 5;
}

/** Numbers of up to so many bits are written without a branch on their length, which no processor can foresee. */
const SHORT_BITS = 21;

/** Up to three bytes, in the order of memory. @param second 1 if there is a second byte; @param third a third */
function shortVarint(value: number, second: number, third: number): number {
  const bits = (value & 0x7f) | ((value & 0x3f80) << 1) | ((value & 0x1fc000) << 2);
  return bits | (second << 7) | (third << 15);
}
