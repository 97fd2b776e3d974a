/**
 * xz files that are at hand whole: one stream, as `.gnu_debugdata` has it. Source: the .xz file format 1.2.1. Filters other than
 * LZMA2, and SHA-256 as check, are not supported. (No kept package decodes xz synchronously without native code.)
 */
import { crc32 } from 'node:zlib';
import { FormatError } from '../errors.js';
import { ByteReader } from '../reader.js';
import { crc64 } from './crc64.js';
import { Lzma2Decoder } from './lzma2.js';
import { joinPieces } from './piece-queue.js';

const HEADER_MAGIC = [0xfd, 0x37, 0x7a, 0x58, 0x5a, 0x00];
const FOOTER_MAGIC = 0x5a59;
const FOOTER_BYTES = 12;
const Check = { none: 0, crc32: 1, crc64: 4 } as const;
const CHECK_BYTES: ReadonlyMap<number, number> = new Map([
  [Check.none, 0],
  [Check.crc32, 4],
  [Check.crc64, 8],
]);
const LZMA2_FILTER = 0x21;
const BlockFlag = { filters: 0x03, reserved: 0x3c, compressedSize: 0x40, uncompressedSize: 0x80 } as const;

/**
 * @param maxBytes that the content may have @param section name for errors
 * @throws FormatError E_XZ_HEADER, E_XZ_CHECKSUM, E_XZ_LENGTH, E_LZMA_*, E_TRUNCATED, E_LIMIT
 */
export function unxz(bytes: Uint8Array, maxBytes: number, section: string): Uint8Array {
  const stream = new XzStream(bytes, section);
  const check = stream.readHeader();
  const blocks: Uint8Array[] = [];
  let total = 0;
  for (;;) {
    const block = stream.readBlock(check, maxBytes - total);
    if (block === undefined) break;
    blocks.push(block);
    total += block.length;
  }
  stream.readIndex(blocks);
  return blocks.length === 1 ? blocks[0]! : joinPieces(blocks, total);
}

class XzStream {
  readonly #bytes: Uint8Array;
  readonly #reader: ByteReader;
  readonly #section: string;

  constructor(bytes: Uint8Array, section: string) {
    this.#bytes = bytes;
    this.#section = section;
    this.#reader = new ByteReader(bytes, section);
  }

  /** @returns the kind of check behind each block */
  readHeader(): number {
    const magic = this.#reader.take(HEADER_MAGIC.length);
    if (HEADER_MAGIC.some((byte, at) => magic[at] !== byte)) throw this.#fail('E_XZ_HEADER', 'not an xz stream', 0);
    const flagsAt = this.#reader.offset;
    const reserved = this.#reader.u8();
    const check = this.#reader.u8();
    this.#expectCrc32(flagsAt);
    if (reserved !== 0 || !CHECK_BYTES.has(check)) {
      throw this.#fail('E_XZ_HEADER', 'check is neither none (0), CRC-32 (1) nor CRC-64 (4)', flagsAt, check);
    }
    return check;
  }

  /** @returns undefined where the index begins */
  readBlock(check: number, maxBytes: number): Uint8Array | undefined {
    const start = this.#reader.offset;
    const sizeByte = this.#reader.u8();
    if (sizeByte === 0) return undefined;
    const crcAt = start + (sizeByte + 1) * 4 - 4;
    const uncompressedBytes = this.#readBlockHeader(crcAt);
    this.#reader.seek(crcAt);
    this.#expectCrc32(start);
    const decoder = new Lzma2Decoder(this.#bytes, this.#reader.offset, maxBytes, this.#section);
    const content = decoder.decode();
    if (uncompressedBytes !== undefined && uncompressedBytes !== content.length) {
      const message = `block holds ${content.length} bytes, its header says ${uncompressedBytes}`;
      throw this.#fail('E_XZ_LENGTH', message, start, uncompressedBytes);
    }
    this.#reader.seek(decoder.offset);
    this.#skipPadding(start);
    this.#expectCheck(check, content);
    return content;
  }

  /** Compares the index with what the blocks had, and expects the footer behind it. */
  readIndex(blocks: readonly Uint8Array[]): void {
    const start = this.#reader.offset - 1;
    const count = this.#varint();
    if (count !== blocks.length)
      throw this.#fail('E_XZ_LENGTH', `index has ${count} of ${blocks.length} blocks`, start);
    for (const { length } of blocks) {
      this.#varint(); // bytes in the file
      const indexed = this.#varint();
      if (indexed !== length) throw this.#fail('E_XZ_LENGTH', `block of ${length} bytes, index says ${indexed}`, start);
    }
    this.#skipPadding(start);
    this.#expectCrc32(start);
    const footerAt = this.#reader.offset;
    const footer = new ByteReader(this.#reader.take(FOOTER_BYTES), this.#section, FOOTER_BYTES - 2);
    if (footer.u16() !== FOOTER_MAGIC || this.#reader.remaining > 0) {
      throw this.#fail('E_XZ_HEADER', 'stream does not end behind its index', footerAt);
    }
  }

  #readBlockHeader(end: number): number | undefined {
    const at = this.#reader.offset;
    const flags = this.#reader.u8();
    if ((flags & (BlockFlag.filters | BlockFlag.reserved)) !== 0) {
      throw this.#fail('E_XZ_HEADER', 'more than one filter, or reserved flags', at, flags);
    }
    if ((flags & BlockFlag.compressedSize) !== 0) this.#varint();
    const uncompressedBytes = (flags & BlockFlag.uncompressedSize) !== 0 ? this.#varint() : undefined;
    const filter = this.#varint();
    if (filter !== LZMA2_FILTER) throw this.#fail('E_XZ_HEADER', 'filter is not LZMA2 (33)', at, filter);
    const propertyBytes = this.#varint();
    this.#reader.skip(propertyBytes); // dictionary size: the output is the dictionary
    if (this.#reader.offset > end) throw this.#fail('E_XZ_HEADER', 'block header is longer than it says', at);
    return uncompressedBytes;
  }

  #expectCheck(check: number, content: Uint8Array): void {
    const at = this.#reader.offset;
    if (check === Check.none) return;
    const low = this.#reader.u32();
    const high = check === Check.crc64 ? this.#reader.u32() : 0;
    const computed = check === Check.crc64 ? crc64(content) : { low: crc32(content), high: 0 };
    if (low !== computed.low || high !== computed.high)
      throw this.#fail('E_XZ_CHECKSUM', 'checksum of a block differs', at);
  }

  /** Reads the CRC-32 of everything from `start` up to here. */
  #expectCrc32(start: number): void {
    const at = this.#reader.offset;
    const computed = crc32(this.#bytes.subarray(start, at));
    if (this.#reader.u32() !== computed) throw this.#fail('E_XZ_CHECKSUM', 'checksum of a header differs', at);
  }

  #skipPadding(start: number): void {
    while ((this.#reader.offset - start) % 4 !== 0) this.#reader.skip(1);
  }

  /** @throws FormatError E_XZ_LENGTH beyond 2^53 */
  #varint(): number {
    const at = this.#reader.offset;
    let value = 0;
    for (let scale = 1; scale < 2 ** 53; scale *= 128) {
      const byte = this.#reader.u8();
      value += (byte & 0x7f) * scale;
      if (byte < 0x80) return value;
    }
    throw this.#fail('E_XZ_LENGTH', 'number is too large', at);
  }

  #fail(code: string, message: string, offset: number, got?: number): FormatError {
    return new FormatError(code, message, { section: this.#section, offset, got });
  }
}
