/** gzip members (RFC 1952) and zstd frames (RFC 8878), with every part of them open to a lie. */
import { constants, crc32, deflateRawSync } from 'node:zlib';
import { bytes, type Part, u8, u24, u32, u64, zeros } from './assemble.js';

export interface GzipLies {
  readonly flags?: number;
  /** Behind the ten bytes of the fixed header. */
  readonly extra?: Part;
  readonly data?: Uint8Array;
  readonly crc?: number;
  readonly length?: number;
}

export function gzip(content: Uint8Array, lies: GzipLies = {}): Uint8Array {
  const header = [u8(0x1f), u8(0x8b), u8(8), u8(lies.flags ?? 0), zeros(4), u8(0), u8(3), lies.extra ?? ''];
  const data = lies.data ?? deflateRawSync(content);
  return bytes(...header, data, u32(lies.crc ?? crc32(content)), u32(lies.length ?? content.length));
}

/** A gzip member of `times` pieces, at the price of deflating one: what a bomb is made of. Its trailer is wrong. */
export function gzipBomb(start: Uint8Array, piece: Uint8Array, times: number): Uint8Array {
  const whole = (content: Uint8Array) => deflateRawSync(content, { level: 9, finishFlush: constants.Z_FULL_FLUSH });
  const deflated = whole(piece);
  const data = bytes(whole(start), ...Array.from({ length: times }, () => deflated), deflateRawSync(zeros(0)));
  return gzip(zeros(0), { data });
}

export interface ZstdLies {
  /** Of the frame header; 0 asks for neither checksum nor content size. */
  readonly descriptor?: number;
  readonly contentSize?: number | bigint;
  readonly checksum?: number;
}

/** One frame of raw blocks of at most 128 KiB, window 128 KiB. */
export function zstd(content: Uint8Array, lies: ZstdLies = {}): Uint8Array {
  const blocks: Part[] = [];
  for (let at = 0; at === 0 || at < content.length; at += BLOCK) {
    const body = content.subarray(at, at + BLOCK);
    const last = at + BLOCK >= content.length ? 1 : 0;
    blocks.push(u24((body.length << 3) | last), body);
  }
  return bytes(zstdHeader(lies), blocks, lies.checksum === undefined ? '' : u32(lies.checksum));
}

/** A frame of RLE blocks: four bytes for 128 KiB. */
export function zstdBomb(start: Uint8Array, value: number, blocks: number): Uint8Array {
  const rle = bytes(u24((BLOCK << 3) | 2), u8(value));
  const first = bytes(u24(start.length << 3), start);
  return bytes(zstdHeader({}), first, ...Array.from({ length: blocks }, () => rle), u24(1));
}

const BLOCK = 128 * 1024;

function zstdHeader({ descriptor, contentSize, checksum }: ZstdLies): Uint8Array {
  const flags = descriptor ?? (contentSize === undefined ? 0 : 0xc0) | (checksum === undefined ? 0 : 4);
  // Window of 2^(10 + 7) bytes.
  return bytes(u32(0xfd2fb528), u8(flags), u8(7 << 3), contentSize === undefined ? '' : u64(contentSize));
}
