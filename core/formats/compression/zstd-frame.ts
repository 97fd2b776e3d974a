/**
 * One zstd frame, block by block. Source: RFC 8878, section 3.1.1. No dictionaries.
 *
 * Node 20 has no zstd, so blocks are decoded by fzstd, which trusts a frame's declared sizes and verifies no checksum. Therefore
 * the window is bounded here before fzstd allocates it, blocks (at most 128 KiB of output) are handed over one at a time, and
 * length and checksum are compared with what the frame says.
 */
import { Decompress } from 'fzstd';
import { FormatError } from '../errors.js';
import { Xxh64 } from './xxh64.js';

const SECTION = 'zstd';
const MAX_BLOCK_BYTES = 128 * 1024;
/** RFC 8878 recommends that decoders take windows up to 8 MiB; level 19 and below never need more. */
const MAX_WINDOW_BYTES = 8 * 2 ** 20;
/** fzstd moves the whole window for each block: tiny blocks in a large window are a way to make it slow. */
const LARGE_WINDOW_BYTES = 2 ** 20;
const TINY_OUTPUT_BYTES = 1024;
const MAX_TINY_BLOCKS = 1024;
const BlockType = { raw: 0, rle: 1, compressed: 2, reserved: 3 } as const;

export const ZSTD_MAGIC = 0xfd2fb528;
/** The longest frame header; a whole frame may be shorter. */
export const MAX_FRAME_HEADER_BYTES = 18;
export const BLOCK_HEADER_BYTES = 3;
export const CHECKSUM_BYTES = 4;

interface FrameHeader {
  readonly length: number;
  readonly windowBytes: number;
  /** Declared size of the content, if it is declared. */
  readonly contentBytes: bigint | undefined;
  readonly hasChecksum: boolean;
}

export class ZstdFrame {
  readonly header: FrameHeader;
  readonly #start: number;
  readonly #outputs: Uint8Array[] = [];
  readonly #decoder = new Decompress((output) => this.#outputs.push(output));
  readonly #hash = new Xxh64();
  #content = 0n;
  #tinyBlocks = 0;
  /** Whether the last block was decoded. */
  isEnded = false;

  /**
   * @param bytes from the frame's magic, MAX_FRAME_HEADER_BYTES or all there are @param start their offset in the input, for errors
   * @throws FormatError E_ZSTD_HEADER, E_ZSTD_TRUNCATED, E_LIMIT
   */
  constructor(bytes: Uint8Array, start: number) {
    this.header = readFrameHeader(bytes, start);
    this.#start = start;
    decode(this.#decoder, bytes.slice(0, this.header.length), start);
  }

  /** Length of a block with its header. @param bytes the header @throws FormatError E_ZSTD_DATA, E_ZSTD_TRUNCATED */
  blockLength(bytes: Uint8Array, offset: number): number {
    if (bytes.length < BLOCK_HEADER_BYTES) throw zstdTruncated('block header', offset + bytes.length);
    const bits = bytes[0]! | (bytes[1]! << 8) | (bytes[2]! << 16);
    const type = (bits >>> 1) & 3;
    const size = bits >>> 3;
    if (type === BlockType.reserved) throw zstdError('E_ZSTD_DATA', 'reserved block type', offset, type);
    const limit = Math.min(this.header.windowBytes, MAX_BLOCK_BYTES);
    if (size > limit) throw zstdError('E_ZSTD_DATA', 'block too large for its window', offset, size, limit);
    return BLOCK_HEADER_BYTES + (type === BlockType.rle ? 1 : size);
  }

  /**
   * Decodes one block.
   * @param block with its header, in memory of its own @param offset of it in the input, for errors
   * @throws FormatError E_ZSTD_DATA, E_LIMIT; behind the last block E_ZSTD_LENGTH
   */
  push(block: Uint8Array, offset: number): Uint8Array[] {
    const { hasChecksum, windowBytes, contentBytes } = this.header;
    this.isEnded = (block[0]! & 1) === 1;
    decode(this.#decoder, block, offset);
    // A frame is at its end for fzstd when it has its checksum; the real one is looked at by `expectChecksum`.
    if (this.isEnded) decode(this.#decoder, new Uint8Array(hasChecksum ? CHECKSUM_BYTES : 0), offset, true);
    const outputs = this.#outputs.splice(0).filter(({ length }) => length > 0);
    let produced = 0;
    for (const output of outputs) {
      produced += output.length;
      if (hasChecksum) this.#hash.update(output);
    }
    this.#content += BigInt(produced);
    if (produced < TINY_OUTPUT_BYTES && windowBytes > LARGE_WINDOW_BYTES && ++this.#tinyBlocks > MAX_TINY_BLOCKS) {
      const message = `too many blocks under ${TINY_OUTPUT_BYTES} bytes`;
      throw zstdError('E_LIMIT', message, offset, this.#tinyBlocks, MAX_TINY_BLOCKS);
    }
    if (this.isEnded && contentBytes !== undefined && contentBytes !== this.#content) {
      const message = `frame holds ${this.#content} bytes, its header says ${contentBytes}`;
      throw zstdError('E_ZSTD_LENGTH', message, this.#start, contentBytes);
    }
    return outputs;
  }

  /** @param bytes of the stored checksum @param offset of them in the input @throws FormatError E_ZSTD_CHECKSUM, E_ZSTD_TRUNCATED */
  expectChecksum(bytes: Uint8Array, offset: number): void {
    if (bytes.length < CHECKSUM_BYTES) throw zstdTruncated('checksum', offset + bytes.length);
    const stored = littleEndian32(bytes, 0);
    const computed = this.#hash.digestLow32();
    if (stored === computed) return;
    const message = `checksum is 0x${stored.toString(16)}, data has 0x${computed.toString(16)}`;
    throw zstdError('E_ZSTD_CHECKSUM', message, offset, stored);
  }
}

/** Source: RFC 8878, section 3.1.1.1 */
function readFrameHeader(bytes: Uint8Array, offset: number): FrameHeader {
  const descriptor = bytes[4];
  if (descriptor === undefined) throw zstdTruncated('frame header', offset + bytes.length);
  if ((descriptor & 0x08) !== 0) throw zstdError('E_ZSTD_HEADER', 'reserved bit is set', offset + 4, descriptor);
  if ((descriptor & 0x03) !== 0) throw zstdError('E_ZSTD_HEADER', 'frame needs a dictionary', offset + 4, descriptor);
  const singleSegment = (descriptor & 0x20) !== 0;
  const sizeFlag = descriptor >>> 6;
  const sizeBytes = sizeFlag === 0 ? (singleSegment ? 1 : 0) : 1 << sizeFlag;
  const sizeStart = singleSegment ? 5 : 6;
  const length = sizeStart + sizeBytes;
  if (bytes.length < length) throw zstdTruncated('frame header', offset + bytes.length);
  let contentBytes: bigint | undefined;
  if (sizeBytes > 0) {
    contentBytes = sizeFlag === 1 ? 256n : 0n;
    for (let i = 0; i < sizeBytes; i++) contentBytes += BigInt(bytes[sizeStart + i]!) << BigInt(8 * i);
  }
  const windowBytes = singleSegment ? Number(contentBytes) : windowSize(bytes[5]!);
  if (windowBytes > MAX_WINDOW_BYTES) {
    throw zstdError('E_LIMIT', 'window too large', offset + 5, windowBytes, MAX_WINDOW_BYTES);
  }
  return { length, windowBytes, contentBytes, hasChecksum: (descriptor & 0x04) !== 0 };
}

function windowSize(descriptor: number): number {
  const base = 2 ** (10 + (descriptor >>> 3));
  return base + (base / 8) * (descriptor & 7);
}

/** Nothing but FormatError may leave: fzstd indexes tables by what it reads, and may throw anything on bad data. */
function decode(decoder: Decompress, bytes: Uint8Array, offset: number, final = false): void {
  try {
    decoder.push(bytes, final);
  } catch (cause) {
    const message = `block data: ${cause instanceof Error ? cause.message : String(cause)}`;
    throw new FormatError('E_ZSTD_DATA', message, { section: SECTION, offset }, { cause });
  }
}

export function zstdTruncated(what: string, offset: number): FormatError {
  return zstdError('E_ZSTD_TRUNCATED', `input ends within the ${what}`, offset);
}

export function zstdError(
  code: string,
  message: string,
  offset: number,
  got?: number | bigint | string,
  limit?: number,
): FormatError {
  return new FormatError(code, message, { section: SECTION, offset, got, limit });
}

export function littleEndian32(bytes: Uint8Array, at: number): number {
  return (bytes[at]! | (bytes[at + 1]! << 8) | (bytes[at + 2]! << 16) | (bytes[at + 3]! << 24)) >>> 0;
}
