/** Zstandard files, read: any number of frames and skippable frames. Source: RFC 8878. */
import type { FormatError } from '../errors.js';
import type { OutputMeter } from './meter.js';
import type { PieceQueue } from './piece-queue.js';
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

export function isZstd(head: Uint8Array): boolean {
  if (head.length < 4) return false;
  const magic = littleEndian32(head, 0);
  return magic === ZSTD_MAGIC || isSkippable(magic);
}

function isSkippable(magic: number): boolean {
  return magic >>> 4 === 0x184d2a5;
}

/** A file in pieces, at most one block each. @throws FormatError E_ZSTD_*, also from `meter` */
export async function* unzstd(queue: PieceQueue, meter: OutputMeter): AsyncGenerator<Uint8Array, void, undefined> {
  for (;;) {
    const start = await queue.peek(4);
    if (start.length === 0) return;
    if (start.length < 4) throw zstdTruncated('frame header', queue.offset + start.length);
    const magic = littleEndian32(start, 0);
    if (magic === ZSTD_MAGIC) yield* unzstdFrame(queue, meter);
    else if (isSkippable(magic)) await skipFrame(queue);
    else throw trailing(queue.offset, magic);
  }
}

async function* unzstdFrame(queue: PieceQueue, meter: OutputMeter): AsyncGenerator<Uint8Array, void, undefined> {
  const frame = new ZstdFrame(await queue.peek(MAX_FRAME_HEADER_BYTES), queue.offset);
  await queue.skip(frame.header.length);
  while (!frame.isEnded) {
    const blockStart = queue.offset;
    const length = frame.blockLength(await queue.peek(BLOCK_HEADER_BYTES), blockStart);
    for (const output of frame.push(await take(queue, length, 'block'), blockStart)) {
      meter.add(output.length, queue.offset);
      yield output;
    }
  }
  if (!frame.header.hasChecksum) return;
  const checksumStart = queue.offset;
  frame.expectChecksum(await take(queue, CHECKSUM_BYTES, 'checksum'), checksumStart);
}

/**
 * One frame that is all there is, as sections of object files have it.
 * @param take is given the output, in pieces of at most 128 KiB
 * @throws FormatError E_ZSTD_*, and what `take` throws
 */
export function unzstdWhole(bytes: Uint8Array, take: (output: Uint8Array) => void): void {
  if (bytes.length < 4) throw zstdTruncated('frame header', bytes.length);
  const magic = littleEndian32(bytes, 0);
  if (magic !== ZSTD_MAGIC) throw zstdError('E_ZSTD_HEADER', 'not a zstd frame', 0, `0x${magic.toString(16)}`);
  const frame = new ZstdFrame(bytes.subarray(0, MAX_FRAME_HEADER_BYTES), 0);
  let at = frame.header.length;
  while (!frame.isEnded) {
    const length = frame.blockLength(bytes.subarray(at, at + BLOCK_HEADER_BYTES), at);
    if (length > bytes.length - at) throw zstdTruncated('block', bytes.length);
    for (const output of frame.push(bytes.slice(at, at + length), at)) take(output);
    at += length;
  }
  if (frame.header.hasChecksum) {
    frame.expectChecksum(bytes.subarray(at, at + CHECKSUM_BYTES), at);
    at += CHECKSUM_BYTES;
  }
  if (at < bytes.length) throw trailing(at, bytes[at]!);
}

async function skipFrame(queue: PieceQueue): Promise<void> {
  const header = await take(queue, 8, 'skippable frame');
  let left = littleEndian32(header, 4);
  while (left > 0) {
    const piece = await queue.next();
    if (piece === undefined) throw zstdTruncated('skippable frame', queue.offset);
    if (piece.length > left) queue.unread(piece.subarray(left));
    left -= Math.min(left, piece.length);
  }
}

/** Exactly `length` bytes, in memory of their own. */
async function take(queue: PieceQueue, length: number, what: string): Promise<Uint8Array> {
  const bytes = (await queue.peek(length)).slice();
  if (bytes.length < length) throw zstdTruncated(what, queue.offset + bytes.length);
  await queue.skip(length);
  return bytes;
}

function trailing(offset: number, magic: number): FormatError {
  return zstdError('E_ZSTD_TRAILING', 'bytes behind the last frame', offset, `0x${magic.toString(16)}`);
}
