/**
 * What this folder asks of raw deflate (RFC 1951), whoever does it (load-zlib.ts).
 * Containers (gzip's header, checksum and length) are read and written by this folder itself, so that all say the same errors.
 */
import type { PieceQueue } from './piece-queue.js';

/** Raw deflate data that ends too early or is no deflate data; the caller knows the place. */
export class InflateError extends Error {
  readonly truncated: boolean;

  constructor(message: string, truncated: boolean, options?: ErrorOptions) {
    super(message, options);
    this.truncated = truncated;
  }
}

export interface DeflateOptions {
  /** 1 (fast) … 9 (small). */
  readonly level: number;
  /** Up to 32 KiB that stand before `bytes` in the same deflate stream. */
  readonly dictionary?: Uint8Array | undefined;
  /** Whether the stream ends with these bytes; else it ends at a byte boundary where the next piece goes on. */
  readonly last: boolean;
}

export interface Zlib {
  readonly name: 'node' | 'pako';
  /** CRC-32 (ISO 3309) of `bytes`, going on from `seed`, the CRC of what stands before (0 at the start). */
  crc32(bytes: Uint8Array, seed: number): number;
  /**
   * Inflates one deflate stream at the start of `bytes`; what follows it is left.
   * @param expectedBytes size of the output if it is known: only a hint
   * @returns the output, and how many bytes the stream has; undefined when the output is larger than `maxBytes`
   * @throws InflateError
   */
  inflateRawSync(
    bytes: Uint8Array,
    maxBytes: number,
    expectedBytes: number,
  ): { readonly output: Uint8Array; readonly consumed: number } | undefined;
  /** Inflates one deflate stream, in pieces; takes from `queue` exactly the bytes that it has. @throws InflateError */
  inflateRaw(queue: PieceQueue): AsyncGenerator<Uint8Array, void, undefined>;
  /** Deflates one piece of a stream, apart from the main thread where that is possible. */
  deflateRaw(bytes: Uint8Array, options: DeflateOptions): Promise<Uint8Array>;
}
