/** CRC-32 (ISO 3309) of a file that is not in memory whole. */
import { crc32 } from 'node:zlib';
import type { ByteSource } from '../source.js';

const CHUNK_BYTES = 2 ** 20;

/** @param part what is read, for errors @throws FormatError of `source.read` */
export function crc32Of(source: ByteSource, part: string): number {
  let crc = 0;
  for (let at = 0; at < source.size; at += CHUNK_BYTES) {
    crc = crc32(source.read(at, Math.min(CHUNK_BYTES, source.size - at), part), crc);
  }
  return crc;
}
