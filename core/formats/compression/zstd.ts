/**
 * Zstandard files, read: any number of frames and skippable frames. Source: RFC 8878. No dictionaries.
 *
 * Node 20 has no zstd, so blocks are decoded by fzstd, which trusts a frame's declared sizes and verifies no checksum. Therefore
 * this file walks the frames itself: it bounds the window before fzstd allocates it, hands over one block (at most 128 KiB of
 * output) at a time, and compares length and checksum with what the frame says.
 */
import { Decompress } from 'fzstd';
import { FormatError } from '../errors.js';
import type { OutputMeter } from './meter.js';
import type { PieceQueue } from './piece-queue.js';
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

export function isZstd(head: Uint8Array): boolean {
  if (head.length < 4) return false;
  const magic = u32(head, 0);
  return magic === 0xfd2fb528 || isSkippable(magic);
}

function isSkippable(magic: number): boolean {
  return magic >>> 4 === 0x184d2a5;
}

interface FrameHeader {
  readonly length: number;
  readonly windowBytes: number;
  /** Declared size of the content, if it is declared. */
  readonly contentBytes: bigint | undefined;
  readonly hasChecksum: boolean;
}

/** A file in pieces, at most one block each. @throws FormatError E_ZSTD_*, also from `meter` */
export async function* unzstd(queue: PieceQueue, meter: OutputMeter): AsyncGenerator<Uint8Array, void, undefined> {
  for (;;) {
    const start = await queue.peek(4);
    if (start.length === 0) return;
    if (start.length < 4) throw truncated('frame header', queue.offset + start.length);
    const magic = u32(start, 0);
    if (magic === 0xfd2fb528) yield* frame(queue, meter);
    else if (isSkippable(magic)) await skipFrame(queue);
    else throw fail('E_ZSTD_TRAILING', 'bytes behind the last frame', queue.offset, `0x${magic.toString(16)}`);
  }
}

async function skipFrame(queue: PieceQueue): Promise<void> {
  const header = await take(queue, 8, 'skippable frame');
  let left = u32(header, 4);
  while (left > 0) {
    const piece = await queue.next();
    if (piece === undefined) throw truncated('skippable frame', queue.offset);
    if (piece.length > left) queue.unread(piece.subarray(left));
    left -= Math.min(left, piece.length);
  }
}

async function* frame(queue: PieceQueue, meter: OutputMeter): AsyncGenerator<Uint8Array, void, undefined> {
  const frameStart = queue.offset;
  // 18 bytes is the longest header; a whole frame may be shorter.
  const header = readFrameHeader(await queue.peek(18), frameStart);
  const outputs: Uint8Array[] = [];
  const decoder = new Decompress((output) => outputs.push(output));
  const hash = new Xxh64();
  let content = 0n;
  let tinyBlocks = 0;
  decode(decoder, await take(queue, header.length, 'frame header'), frameStart);
  for (let last = false; !last; ) {
    const blockStart = queue.offset;
    const block = await takeBlock(queue, header.windowBytes);
    last = (block[0]! & 1) === 1;
    decode(decoder, block, blockStart);
    // A frame is at its end for fzstd when it has its checksum; the real one is looked at below.
    if (last) decode(decoder, new Uint8Array(header.hasChecksum ? 4 : 0), blockStart, true);
    let produced = 0;
    for (const output of outputs.splice(0)) {
      produced += output.length;
      meter.add(output.length, queue.offset);
      if (header.hasChecksum) hash.update(output);
      if (output.length > 0) yield output;
    }
    content += BigInt(produced);
    if (produced < TINY_OUTPUT_BYTES && header.windowBytes > LARGE_WINDOW_BYTES && ++tinyBlocks > MAX_TINY_BLOCKS) {
      throw fail(
        'E_LIMIT',
        `too many blocks under ${TINY_OUTPUT_BYTES} bytes`,
        blockStart,
        tinyBlocks,
        MAX_TINY_BLOCKS,
      );
    }
  }
  if (header.contentBytes !== undefined && header.contentBytes !== content) {
    const message = `frame holds ${content} bytes, its header says ${header.contentBytes}`;
    throw fail('E_ZSTD_LENGTH', message, frameStart, header.contentBytes);
  }
  if (!header.hasChecksum) return;
  const checksumStart = queue.offset;
  const stored = u32(await take(queue, 4, 'checksum'), 0);
  const computed = hash.digestLow32();
  if (stored === computed) return;
  const message = `checksum is 0x${stored.toString(16)}, data has 0x${computed.toString(16)}`;
  throw fail('E_ZSTD_CHECKSUM', message, checksumStart, stored);
}

/** @param bytes up to 18 from the frame's magic. Source: RFC 8878, section 3.1.1.1 */
function readFrameHeader(bytes: Uint8Array, offset: number): FrameHeader {
  const descriptor = bytes[4];
  if (descriptor === undefined) throw truncated('frame header', offset + bytes.length);
  if ((descriptor & 0x08) !== 0) throw fail('E_ZSTD_HEADER', 'reserved bit is set', offset + 4, descriptor);
  if ((descriptor & 0x03) !== 0) throw fail('E_ZSTD_HEADER', 'frame needs a dictionary', offset + 4, descriptor);
  const singleSegment = (descriptor & 0x20) !== 0;
  const sizeFlag = descriptor >>> 6;
  const sizeBytes = sizeFlag === 0 ? (singleSegment ? 1 : 0) : 1 << sizeFlag;
  const sizeStart = singleSegment ? 5 : 6;
  const length = sizeStart + sizeBytes;
  if (bytes.length < length) throw truncated('frame header', offset + bytes.length);
  let contentBytes: bigint | undefined;
  if (sizeBytes > 0) {
    contentBytes = sizeFlag === 1 ? 256n : 0n;
    for (let i = 0; i < sizeBytes; i++) contentBytes += BigInt(bytes[sizeStart + i]!) << BigInt(8 * i);
  }
  const windowBytes = singleSegment ? Number(contentBytes) : windowSize(bytes[5]!);
  if (windowBytes > MAX_WINDOW_BYTES) {
    throw fail('E_LIMIT', 'window too large', offset + 5, windowBytes, MAX_WINDOW_BYTES);
  }
  return { length, windowBytes, contentBytes, hasChecksum: (descriptor & 0x04) !== 0 };
}

function windowSize(descriptor: number): number {
  const base = 2 ** (10 + (descriptor >>> 3));
  return base + (base / 8) * (descriptor & 7);
}

/** One block with its header of three bytes. Source: RFC 8878, section 3.1.1.2 */
async function takeBlock(queue: PieceQueue, windowBytes: number): Promise<Uint8Array> {
  const offset = queue.offset;
  const header = await queue.peek(3);
  if (header.length < 3) throw truncated('block header', offset + header.length);
  const bits = header[0]! | (header[1]! << 8) | (header[2]! << 16);
  const type = (bits >>> 1) & 3;
  const size = bits >>> 3;
  if (type === BlockType.reserved) throw fail('E_ZSTD_DATA', 'reserved block type', offset, type);
  const limit = Math.min(windowBytes, MAX_BLOCK_BYTES);
  if (size > limit) throw fail('E_ZSTD_DATA', 'block too large for its window', offset, size, limit);
  return take(queue, 3 + (type === BlockType.rle ? 1 : size), 'block');
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

/** Exactly `length` bytes, in memory of their own. */
async function take(queue: PieceQueue, length: number, what: string): Promise<Uint8Array> {
  const bytes = (await queue.peek(length)).slice();
  if (bytes.length < length) throw truncated(what, queue.offset + bytes.length);
  await queue.skip(length);
  return bytes;
}

function truncated(what: string, offset: number): FormatError {
  return fail('E_ZSTD_TRUNCATED', `input ends within the ${what}`, offset);
}

function fail(
  code: string,
  message: string,
  offset: number,
  got?: number | bigint | string,
  limit?: number,
): FormatError {
  return new FormatError(code, message, { section: SECTION, offset, got, limit });
}

function u32(bytes: Uint8Array, at: number): number {
  return (bytes[at]! | (bytes[at + 1]! << 8) | (bytes[at + 2]! << 16) | (bytes[at + 3]! << 24)) >>> 0;
}
