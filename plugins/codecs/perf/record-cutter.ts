/** Cuts a stream of bytes into records. A record never stands in two pieces for those who get it. */
import { FormatError } from '../../../core/index.js';
import { HEADER_BYTES } from './records.js';

/** Who gets the records. */
export interface RecordTaker {
  /** All whole samples in a row from a place on, which a record begins at; `bytes` is one piece. @returns the place behind them */
  takeSamples(bytes: Uint8Array, at: number): number;
  /** One that is no sample: `view` holds it at [start, start + size), during the call. @returns bytes behind the record that belong to it */
  takeRecord(view: DataView, start: number, size: number): number;
}

export class RecordCutter {
  readonly #section: string;
  readonly #taker: RecordTaker;
  /** Start of a record whose end has not come; at most 64 KiB. */
  readonly #pending = new Uint8Array(1 << 16);
  #pendingBytes = 0;
  #skip = 0;
  /** Of the next byte that `push` will be given. */
  #offset: number;

  /** @param section how errors call the stream, and the place of its first byte */
  constructor(section: string, offset: number, taker: RecordTaker) {
    this.#section = section;
    this.#offset = offset;
    this.#taker = taker;
  }

  /** @throws FormatError E_PERF_RECORD for a record that is smaller than its header, and what who takes it throws */
  push(bytes: Uint8Array): void {
    // Another one for whoever takes samples: the caller's may come again with other bytes.
    const piece = bytes.subarray();
    let at = this.#finishPending(piece);
    const view = new DataView(piece.buffer, piece.byteOffset, piece.byteLength);
    for (;;) {
      if (this.#skip > 0) {
        const skipped = Math.min(this.#skip, piece.length - at);
        this.#skip -= skipped;
        at += skipped;
      }
      if (this.#skip === 0) at = this.#taker.takeSamples(piece, at);
      const left = piece.length - at;
      if (left < HEADER_BYTES) break;
      const size = this.#checkedSize(view.getUint16(at + 6, true), this.#offset + at);
      if (left < size) break;
      this.#skip = this.#taker.takeRecord(view, at, size);
      at += size;
    }
    if (at < piece.length) {
      this.#pending.set(piece.subarray(at), this.#pendingBytes);
      this.#pendingBytes += piece.length - at;
    }
    this.#offset += piece.length;
  }

  /** @throws FormatError E_TRUNCATED when the stream ends within a record */
  finish(): void {
    if (this.#pendingBytes === 0 && this.#skip === 0) return;
    throw new FormatError('E_TRUNCATED', 'ends within a record', {
      section: this.#section,
      offset: this.#offset - this.#pendingBytes,
    });
  }

  /** @returns bytes of the piece that completed what was pending */
  #finishPending(piece: Uint8Array): number {
    if (this.#pendingBytes === 0) return 0;
    const start = this.#offset - this.#pendingBytes;
    let at = this.#take(piece, 0, HEADER_BYTES);
    if (this.#pendingBytes < HEADER_BYTES) return at;
    const view = new DataView(this.#pending.buffer);
    const size = this.#checkedSize(view.getUint16(6, true), start);
    at = this.#take(piece, at, size);
    if (this.#pendingBytes < size) return at;
    this.#pendingBytes = 0;
    const isSample = this.#taker.takeSamples(this.#pending.subarray(0, size), 0) > 0;
    this.#skip = isSample ? 0 : this.#taker.takeRecord(view, 0, size);
    return at;
  }

  /** Moves bytes from a place of the piece until that many are pending. @returns the place behind them */
  #take(piece: Uint8Array, at: number, wanted: number): number {
    const missing = Math.max(0, Math.min(wanted - this.#pendingBytes, piece.length - at));
    this.#pending.set(piece.subarray(at, at + missing), this.#pendingBytes);
    this.#pendingBytes += missing;
    return at + missing;
  }

  #checkedSize(size: number, offset: number): number {
    if (size >= HEADER_BYTES) return size;
    const place = { section: this.#section, offset, got: size, limit: HEADER_BYTES };
    throw new FormatError('E_PERF_RECORD', 'record smaller than its header', place);
  }
}
