/**
 * A part of the table of which little is looked at: names and files. Small ones are read whole; of large ones (programs of hundreds of
 * megabytes) only what is asked for.
 */
import type { TablePart } from './header.js';

const MAX_HELD_BYTES = 1 << 23;
/** Read at once of a large part for who goes on from where the last question was: all functions are asked for in order. */
const PIECE_BYTES = 1 << 16;

export class TablePartBytes {
  readonly length: number;
  readonly #start: number;
  readonly #read: (offset: number, length: number) => Uint8Array;
  #held: Buffer | undefined;
  /** Of a large part: what was read last, and its offset into the part. */
  #piece: Uint8Array = new Uint8Array(0);
  #pieceAt = 0;

  /** @param read bytes at an offset into the table, shorter where it ends */
  constructor(read: (offset: number, length: number) => Uint8Array, [start, end]: TablePart) {
    this.length = end - start;
    this.#start = start;
    this.#read = read;
  }

  get heldBytes(): number {
    return (this.#held ?? this.#piece).byteLength;
  }

  /** Has a part that is not large held in memory that is there anyway. @param memory as long as the part */
  holdIn(memory: Uint8Array): void {
    memory.set(this.#read(this.#start, this.length));
    this.#held = Buffer.from(memory.buffer, memory.byteOffset, memory.length);
  }

  /** A view from an offset into the part on, shorter where the part ends, empty outside. */
  at(offset: number, length: number): Uint8Array {
    if (!(offset >= 0 && offset < this.length)) return new Uint8Array(0);
    if (this.isLarge) return this.#inPiece(offset, Math.min(length, this.length - offset));
    return this.whole.subarray(offset, offset + length);
  }

  /** The word at an offset; undefined when it is not all in the part. */
  u32(offset: number): number | undefined {
    if (!(offset >= 0 && offset + 4 <= this.length)) return undefined;
    const bytes = this.isLarge ? this.at(offset, 4) : this.whole;
    const at = this.isLarge ? 0 : offset;
    return (bytes[at]! | (bytes[at + 1]! << 8) | (bytes[at + 2]! << 16) | (bytes[at + 3]! << 24)) >>> 0;
  }

  /** The text from an offset to the next NUL. @returns undefined in a large part, without a NUL, and for more than so many bytes */
  heldText(offset: number, mostBytes: number): string | undefined {
    if (this.isLarge || !(offset >= 0 && offset < this.length)) return undefined;
    const end = this.whole.indexOf(0, offset);
    return end < 0 || end - offset > mostBytes ? undefined : this.whole.toString('utf8', offset, end);
  }

  /** Whether it is read in pieces. */
  get isLarge(): boolean {
    return this.length > MAX_HELD_BYTES;
  }

  /** All of it. Not for large ones. */
  get whole(): Buffer {
    if (this.#held === undefined) {
      const { buffer, byteOffset, byteLength } = this.#read(this.#start, this.length);
      this.#held = Buffer.from(buffer, byteOffset, byteLength);
    }
    return this.#held;
  }

  #inPiece(offset: number, length: number): Uint8Array {
    const into = offset - this.#pieceAt;
    if (into >= 0 && into + length <= this.#piece.length) return this.#piece.subarray(into, into + length);
    const isNext = into >= 0 && into < PIECE_BYTES;
    const wanted = isNext ? Math.max(length, PIECE_BYTES) : length;
    this.#piece = this.#read(this.#start + offset, Math.min(wanted, this.length - offset));
    this.#pieceAt = offset;
    return this.#piece.subarray(0, length);
  }
}
