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

  /** Up to 5 bytes. */
  varint(value: number): void {
    if (value < SHORT_VARINT) {
      const second = (127 - value) >>> 31;
      const third = (16383 - value) >>> 31;
      this.#words.setInt32(this.#pos, shortVarint(value, second, third), true);
      this.#pos += 1 + second + third;
      return;
    }
    let rest = value;
    while (rest > 127) {
      this.#buffer[this.#pos++] = (rest & 127) | 128;
      rest >>>= 7;
    }
    this.#buffer[this.#pos++] = rest;
  }

  /** Up to 10 bytes. */
  varint64(lo: number, hi: number): void {
    let low = lo;
    let high = hi;
    while (high !== 0) {
      this.#buffer[this.#pos++] = (low & 127) | 128;
      low = ((low >>> 7) | (high << 25)) >>> 0;
      high >>>= 7;
    }
    this.varint(low);
  }

  /** A field of wire type 0 and of a number under 16, unless it is 0, which is what absence means. */
  field(number: number, value: number): void {
    if (value === 0) return;
    if (value < SHORT_VARINT) {
      const second = (127 - value) >>> 31;
      const third = (16383 - value) >>> 31;
      this.#words.setInt32(this.#pos, (number << 3) | (shortVarint(value, second, third) << 8), true);
      this.#pos += 2 + second + third;
      return;
    }
    this.#buffer[this.#pos++] = number << 3;
    this.varint(value);
  }

  field64(number: number, lo: number, hi: number): void {
    if (hi === 0) {
      this.field(number, lo);
      return;
    }
    this.#buffer[this.#pos++] = number << 3;
    this.varint64(lo, hi);
  }

  /** Numbers that are one more than given, one behind the other: ids that are rows. */
  varintsOfRows(rows: Uint32Array, start: number, end: number): void {
    const words = this.#words;
    let pos = this.#pos;
    for (let i = start; i < end; i++) {
      const value = rows[i]! + 1;
      if (value < SHORT_VARINT) {
        const second = (127 - value) >>> 31;
        const third = (16383 - value) >>> 31;
        words.setInt32(pos, shortVarint(value, second, third), true);
        pos += 1 + second + third;
      } else {
        this.#pos = pos;
        this.varint(value);
        pos = this.#pos;
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

  /**
   * Starts a nested message or packed numbers.
   * @param number field number, under 16
   * @param expectedBytes a guess at the size: a wrong one costs a move of what is written
   * @returns what `end` wants
   */
  begin(number: number, expectedBytes: number): number {
    this.#buffer[this.#pos++] = (number << 3) | 2;
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
    if (wanted !== gap) this.#buffer.copyWithin(start + wanted, start + gap, this.#pos);
    // Byte by byte: what stands behind must stay.
    let rest = size;
    let at = start;
    for (; rest > 127; rest >>>= 7) this.#buffer[at++] = (rest & 127) | 128;
    this.#buffer[at++] = rest;
    this.#pos = at + size;
  }
}

function varintSize(value: number): number {
  if (value < 2 ** 7) return 1;
  if (value < 2 ** 14) return 2;
  if (value < 2 ** 21) return 3;
  return value < 2 ** 28 ? 4 : 5;
}

/** Numbers below this are written without a branch on their length, which no processor can foresee. */
const SHORT_VARINT = 2 ** 21;

/** Up to three bytes, in the order of memory. @param second 1 if there is a second byte; @param third a third */
function shortVarint(value: number, second: number, third: number): number {
  const bits = (value & 0x7f) | ((value & 0x3f80) << 1) | ((value & 0x1fc000) << 2);
  return bits | (second << 7) | (third << 15);
}
