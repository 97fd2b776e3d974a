/** gzip files, written: one member, deflated in pieces side by side. */
import { loadZlib } from './load-zlib.js';
import type { Zlib } from './zlib.js';

/** Bytes that later pieces may refer back to: deflate's window. */
const DICTIONARY_BYTES = 32 * 1024;
/** Pieces that are deflated at once: node:zlib works in the four threads of libuv's pool. */
const IN_FLIGHT = 4;
/** Pieces that are read at once: those, the one before them, which the first refers back to, and the one that is next. */
export const HELD_PIECES = IN_FLIGHT + 2;

/**
 * @param pieces cut where the content alone decides: the cuts show in the output. Each is read until the next but HELD_PIECES
 *   is asked for: the memory of one may be that of the HELD_PIECES-th before it.
 * @param level 1 … 9
 * @returns one gzip member in pieces; same input and same zlib, same bytes
 */
export async function gzip(
  pieces: Iterable<Uint8Array>,
  level: number,
  zlib: Zlib | Promise<Zlib> = loadZlib(),
): Promise<Uint8Array[]> {
  return gzipWith(pieces, level, await zlib);
}

async function gzipWith(pieces: Iterable<Uint8Array>, level: number, zlib: Zlib): Promise<Uint8Array[]> {
  const outputs: Uint8Array[] = [header(level)];
  const inFlight: Promise<Uint8Array>[] = [];
  let crc = 0;
  let length = 0;
  let dictionary: Uint8Array | undefined;
  let current: Uint8Array = new Uint8Array(0);
  const deflate = (last: boolean) => {
    crc = zlib.crc32(current, crc);
    length = (length + current.length) >>> 0;
    inFlight.push(zlib.deflateRaw(current, { level, dictionary, last }));
    dictionary = current.subarray(Math.max(0, current.length - DICTIONARY_BYTES));
  };
  for (const piece of pieces) {
    if (current.length > 0) deflate(false);
    current = piece;
    if (inFlight.length === IN_FLIGHT) outputs.push(await inFlight.shift()!);
  }
  deflate(true);
  outputs.push(...(await Promise.all(inFlight)));
  const trailer = new DataView(new ArrayBuffer(8));
  trailer.setUint32(0, crc, true);
  trailer.setUint32(4, length, true);
  outputs.push(new Uint8Array(trailer.buffer));
  return outputs;
}

/** No name, no time (they would make two runs differ), unknown system. Source: RFC 1952, section 2.3 */
function header(level: number): Uint8Array {
  const extraFlags = level === 9 ? 2 : level === 1 ? 4 : 0;
  return Uint8Array.of(0x1f, 0x8b, 8, 0, 0, 0, 0, 0, extraFlags, 255);
}
