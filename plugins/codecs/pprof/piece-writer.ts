/**
 * protobuf's encoding into pieces of memory.
 *
 * protobufjs' Writer keeps an object per number until the end: right for the few messages of a header (header.ts uses it), too
 * slow for millions of numbers. Here numbers go straight into the piece; the length of a nested message, which is known only behind
 * it, is written over a gap that is left for it.
 */

export class PieceWriter {
  readonly #pieceBytes: number;
  #buffer: Uint8Array;
  #pos = 0;

  /** @param pieceBytes from this size on a piece is full */
  constructor(pieceBytes: number) {
    this.#pieceBytes = pieceBytes;
    this.#buffer = new Uint8Array(pieceBytes + 4096);
  }

  get isFull(): boolean {
    return this.#pos >= this.#pieceBytes;
  }

  /** What was written since the last call; its memory is the caller's. */
  take(): Uint8Array {
    const piece = this.#buffer.subarray(0, this.#pos);
    this.#buffer = new Uint8Array(this.#pieceBytes + 4096);
    this.#pos = 0;
    return piece;
  }

  /** Makes room: all the calls below write without looking. */
  reserve(bytes: number): void {
    const wanted = this.#pos + bytes;
    if (wanted <= this.#buffer.length) return;
    const grown = new Uint8Array(wanted + (wanted >>> 1));
    grown.set(this.#buffer.subarray(0, this.#pos));
    this.#buffer = grown;
  }

  byte(value: number): void {
    this.#buffer[this.#pos++] = value;
  }

  /** Up to 5 bytes. */
  varint(value: number): void {
    const buffer = this.#buffer;
    let pos = this.#pos;
    let rest = value;
    while (rest > 127) {
      buffer[pos++] = (rest & 127) | 128;
      rest >>>= 7;
    }
    buffer[pos++] = rest;
    this.#pos = pos;
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
    this.#buffer[this.#pos++] = number << 3;
    this.varint(value);
  }

  field64(number: number, lo: number, hi: number): void {
    if (lo === 0 && hi === 0) return;
    this.#buffer[this.#pos++] = number << 3;
    this.varint64(lo, hi);
  }

  /** Numbers that are up to 32 bits and one more than given, one behind the other: ids that are rows. */
  varintsOfRows(rows: Uint32Array, start: number, end: number): void {
    const buffer = this.#buffer;
    let pos = this.#pos;
    for (let i = start; i < end; i++) {
      let rest = rows[i]! + 1;
      while (rest > 127) {
        buffer[pos++] = (rest & 127) | 128;
        rest >>>= 7;
      }
      buffer[pos++] = rest;
    }
    this.#pos = pos;
  }

  bytes(source: Uint8Array, start: number, end: number): void {
    const count = end - start;
    const buffer = this.#buffer;
    const pos = this.#pos;
    if (count < 48) for (let i = 0; i < count; i++) buffer[pos + i] = source[start + i]!;
    else buffer.set(source.subarray(start, end), pos);
    this.#pos = pos + count;
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
    this.#pos = start;
    this.varint(size);
    this.#pos += size;
  }
}

function varintSize(value: number): number {
  if (value < 2 ** 7) return 1;
  if (value < 2 ** 14) return 2;
  if (value < 2 ** 21) return 3;
  return value < 2 ** 28 ? 4 : 5;
}
