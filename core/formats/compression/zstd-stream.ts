/**
 * Zstandard that comes in pieces and is flushed at the end of each: what was compressed up to there can be read at once, and the
 * frame may have no end. So `perf record -z` writes.
 */
import type { Budget } from '../limits.js';
import { OutputMeter } from './meter.js';
import {
  BLOCK_HEADER_BYTES,
  CHECKSUM_BYTES,
  littleEndian32,
  MAX_FRAME_HEADER_BYTES,
  ZSTD_MAGIC,
  ZstdFrame,
  zstdError,
  zstdTruncated,
} from './zstd-frame.js';

export class ZstdStream {
  readonly #onOutput: (piece: Uint8Array) => void;
  readonly #meter: OutputMeter;
  /** Of the stream: what was not whole enough to be decoded. */
  #pending: Uint8Array = new Uint8Array(0);
  /** Bytes decoded so far. */
  #offset = 0;
  #frame: ZstdFrame | undefined;

  /** @param onOutput gets what is decompressed, in pieces of at most 128 KiB */
  constructor(budget: Budget, onOutput: (piece: Uint8Array) => void) {
    this.#onOutput = onOutput;
    this.#meter = new OutputMeter(budget, 'zstd');
  }

  /** Decompresses all blocks that are whole. @throws FormatError E_ZSTD_*, E_DECOMPRESSED_LIMIT, E_LIMIT, and what `onOutput` throws */
  push(piece: Uint8Array): void {
    const bytes = this.#pending.length === 0 ? piece : concat(this.#pending, piece);
    let at = 0;
    for (let used = -1; used !== 0; at += used, this.#offset += used) used = this.#step(bytes.subarray(at));
    this.#pending = bytes.slice(at);
  }

  /** @throws FormatError E_ZSTD_TRUNCATED when bytes of a block are left */
  finish(): void {
    if (this.#pending.length > 0) throw zstdTruncated('block', this.#offset + this.#pending.length);
  }

  /** @returns bytes used; 0 when more are needed */
  #step(bytes: Uint8Array): number {
    if (this.#frame === undefined) return this.#open(bytes);
    if (this.#frame.isEnded) return this.#close(this.#frame, bytes);
    if (bytes.length < BLOCK_HEADER_BYTES) return 0;
    const length = this.#frame.blockLength(bytes, this.#offset);
    if (bytes.length < length) return 0;
    for (const output of this.#frame.push(bytes.slice(0, length), this.#offset)) {
      this.#meter.add(output.length, this.#offset + length);
      this.#onOutput(output);
    }
    if (this.#frame.isEnded && !this.#frame.header.hasChecksum) this.#frame = undefined;
    return length;
  }

  #open(bytes: Uint8Array): number {
    if (bytes.length < 4) return 0;
    const magic = littleEndian32(bytes, 0);
    if (magic !== ZSTD_MAGIC) {
      throw zstdError('E_ZSTD_HEADER', 'no zstd frame begins here', this.#offset, `0x${magic.toString(16)}`);
    }
    if (bytes.length < MAX_FRAME_HEADER_BYTES) return 0;
    this.#frame = new ZstdFrame(bytes.subarray(0, MAX_FRAME_HEADER_BYTES), this.#offset);
    return this.#frame.header.length;
  }

  #close(frame: ZstdFrame, bytes: Uint8Array): number {
    if (bytes.length < CHECKSUM_BYTES) return 0;
    frame.expectChecksum(bytes, this.#offset);
    this.#frame = undefined;
    return CHECKSUM_BYTES;
  }
}

function concat(a: Uint8Array, b: Uint8Array): Uint8Array {
  const bytes = new Uint8Array(a.length + b.length);
  bytes.set(a);
  bytes.set(b, a.length);
  return bytes;
}
