/**
 * gzip files, read: any number of members, each with its checksum and length checked. Source: RFC 1952.
 * Zeros behind the last member are padding (tapes, block devices) and are taken, with a note; anything else there is refused.
 */
import { FormatError } from '../errors.js';
import type { InputNote } from '../input.js';
import type { OutputMeter } from './meter.js';
import { joinPieces, type PieceQueue } from './piece-queue.js';
import { InflateError, type Zlib } from './zlib.js';

const SECTION = 'gzip';
const TRAILER_BYTES = 8;
/** FHCRC, FEXTRA, FNAME, FCOMMENT of the flag byte; bits 5 to 7 are reserved. */
const Flag = { headerCrc: 2, extra: 4, name: 8, comment: 16, reserved: 0xe0 } as const;
/** Two strings and an extra field of 64 KiB: more than any writer writes. */
const MAX_HEADER_BYTES = 256 * 1024;

export const TRAILING_ZEROS: InputNote = {
  code: 'gzip_trailing_zeros',
  message: 'zero bytes behind the last gzip member were ignored',
};

export function isGzip(head: Uint8Array): boolean {
  return head.length >= 2 && head[0] === 0x1f && head[1] === 0x8b;
}

/**
 * @param bytes from the start of a member; @param offset of `bytes` in the input, for errors
 * @returns length of the header; undefined when it goes on behind `bytes`
 * @throws FormatError E_GZIP_HEADER
 */
function headerLength(bytes: Uint8Array, offset: number, zlib: Zlib): number | undefined {
  if (bytes.length < 10) return undefined;
  const fail = (message: string, at: number, got: number) =>
    new FormatError('E_GZIP_HEADER', message, { section: SECTION, offset: offset + at, got });
  if (bytes[2] !== 8) throw fail('compression method is not deflate (8)', 2, bytes[2]!);
  const flags = bytes[3]!;
  if ((flags & Flag.reserved) !== 0) throw fail('reserved flags are set', 3, flags);
  let at = 10;
  if ((flags & Flag.extra) !== 0) {
    if (bytes.length < at + 2) return undefined;
    at += 2 + (bytes[at]! | (bytes[at + 1]! << 8));
  }
  for (const flag of [Flag.name, Flag.comment]) {
    if ((flags & flag) === 0) continue;
    const end = bytes.indexOf(0, at);
    if (at > bytes.length || end < 0) return undefined;
    at = end + 1;
  }
  if ((flags & Flag.headerCrc) !== 0) {
    if (bytes.length < at + 2) return undefined;
    const stored = bytes[at]! | (bytes[at + 1]! << 8);
    const computed = zlib.crc32(bytes.subarray(0, at), 0) & 0xffff;
    if (stored !== computed) throw fail(`header checksum is ${hex(stored)}, header has ${hex(computed)}`, at, stored);
    at += 2;
  }
  return at <= bytes.length ? at : undefined;
}

/** Checksum and length of what a member gave, against what its trailer says. */
class MemberCheck {
  #crc = 0;
  #length = 0;
  readonly #zlib: Zlib;

  constructor(zlib: Zlib) {
    this.#zlib = zlib;
  }

  add(output: Uint8Array): void {
    this.#crc = this.#zlib.crc32(output, this.#crc);
    this.#length = (this.#length + output.length) >>> 0;
  }

  /** @param trailer up to 8 bytes @throws FormatError E_GZIP_TRUNCATED, E_GZIP_CRC, E_GZIP_LENGTH */
  finish(trailer: Uint8Array, offset: number): void {
    if (trailer.length < TRAILER_BYTES) throw truncated('trailer', offset + trailer.length);
    const crc = u32(trailer, 0);
    if (crc !== this.#crc) {
      throw new FormatError('E_GZIP_CRC', `checksum is ${hex(crc)}, data has ${hex(this.#crc)}`, {
        section: SECTION,
        offset,
        got: crc,
      });
    }
    const length = u32(trailer, 4);
    if (length !== this.#length) {
      throw new FormatError('E_GZIP_LENGTH', `length is ${length}, data has ${this.#length} (modulo 2^32)`, {
        section: SECTION,
        offset: offset + 4,
        got: length,
      });
    }
  }
}

/**
 * A whole file at once, for small ones.
 * @returns undefined when the output is larger than `maxBytes`: read it in pieces then
 * @throws FormatError
 */
export function gunzipSync(
  bytes: Uint8Array,
  maxBytes: number,
  zlib: Zlib,
  notes: InputNote[],
): Uint8Array | undefined {
  const outputs: Uint8Array[] = [];
  let total = 0;
  let at = 0;
  while (at < bytes.length) {
    if (at > 0 && !isGzip(bytes.subarray(at, at + 2))) {
      checkPadding(bytes.subarray(at), at);
      notes.push(TRAILING_ZEROS);
      break;
    }
    const header = headerLength(bytes.subarray(at, at + MAX_HEADER_BYTES), at, zlib);
    if (header === undefined) throw truncated('header', bytes.length);
    const dataStart = at + header;
    // Its length modulo 2^32 is in the last bytes of a file of one member: a hint, never believed.
    const hint = Math.min(u32(bytes, Math.max(0, bytes.length - 4)), maxBytes - total);
    let member: { readonly output: Uint8Array; readonly consumed: number } | undefined;
    try {
      member = zlib.inflateRawSync(bytes.subarray(dataStart), maxBytes - total, hint);
    } catch (error) {
      throw dataError(error, bytes.length, dataStart);
    }
    if (member === undefined) return undefined;
    const check = new MemberCheck(zlib);
    check.add(member.output);
    const trailerStart = dataStart + member.consumed;
    check.finish(bytes.subarray(trailerStart, trailerStart + TRAILER_BYTES), trailerStart);
    outputs.push(member.output);
    total += member.output.length;
    at = trailerStart + TRAILER_BYTES;
  }
  return outputs.length === 1 ? outputs[0]! : joinPieces(outputs, total);
}

/** A file in pieces. @throws FormatError, also from `meter` */
export async function* gunzip(
  queue: PieceQueue,
  zlib: Zlib,
  meter: OutputMeter,
  notes: InputNote[],
): AsyncGenerator<Uint8Array, void, undefined> {
  for (let first = true; ; first = false) {
    const magic = await queue.peek(2);
    if (!first && magic.length === 0) return;
    if (!first && !isGzip(magic)) {
      for (let piece = await queue.next(); piece !== undefined; piece = await queue.next()) {
        checkPadding(piece, queue.offset - piece.length);
      }
      notes.push(TRAILING_ZEROS);
      return;
    }
    await skipHeader(queue, zlib);
    const check = new MemberCheck(zlib);
    const dataStart = queue.offset;
    try {
      for await (const output of zlib.inflateRaw(queue)) {
        meter.add(output.length, queue.offset);
        check.add(output);
        yield output;
      }
    } catch (error) {
      throw dataError(error, queue.offset, dataStart);
    }
    check.finish(await queue.peek(TRAILER_BYTES), queue.offset);
    await queue.skip(TRAILER_BYTES);
  }
}

async function skipHeader(queue: PieceQueue, zlib: Zlib): Promise<void> {
  for (let wanted = 512; ; wanted *= 8) {
    const bytes = await queue.peek(wanted);
    const length = headerLength(bytes, queue.offset, zlib);
    if (length !== undefined) return queue.skip(length);
    if (bytes.length < wanted) throw truncated('header', queue.offset + bytes.length);
    if (wanted > MAX_HEADER_BYTES) {
      throw new FormatError('E_GZIP_HEADER', 'header too long', {
        section: SECTION,
        offset: queue.offset,
        limit: MAX_HEADER_BYTES,
      });
    }
  }
}

function checkPadding(bytes: Uint8Array, offset: number): void {
  const at = bytes.findIndex((byte) => byte !== 0);
  if (at < 0) return;
  throw new FormatError('E_GZIP_TRAILING', 'bytes behind the last gzip member', {
    section: SECTION,
    offset: offset + at,
    got: bytes[at]!,
  });
}

function dataError(error: unknown, end: number, dataStart: number): unknown {
  if (!(error instanceof InflateError)) return error;
  if (error.truncated) return truncated('deflate data', end, error);
  return new FormatError(
    'E_GZIP_DATA',
    `deflate data: ${error.message}`,
    { section: SECTION, offset: dataStart },
    { cause: error },
  );
}

function truncated(what: string, offset: number, cause?: unknown): FormatError {
  return new FormatError('E_GZIP_TRUNCATED', `input ends within the ${what}`, { section: SECTION, offset }, { cause });
}

function u32(bytes: Uint8Array, at: number): number {
  return (bytes[at]! | (bytes[at + 1]! << 8) | (bytes[at + 2]! << 16) | (bytes[at + 3]! << 24)) >>> 0;
}

function hex(value: number): string {
  return `0x${value.toString(16)}`;
}
