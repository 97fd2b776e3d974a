/**
 * Compressed parts of object files, decompressed at once: they are read in the middle of synchronous work, and say how large they
 * are. That size is not believed further than the compressed bytes can bear out.
 */
import { inflateSync } from 'node:zlib';
import { FormatError } from '../errors.js';
import { unzstdWhole } from './zstd.js';

/** Deflate gives at most 1032 bytes for one; a larger claim is a lie. */
const MAX_DEFLATE_RATIO = 1032;
const FIRST_BYTES = 2 ** 18;

/**
 * @param size that the output must have, bounded by the caller
 * @param section name for errors
 * @throws FormatError E_ZLIB_DATA, E_ZLIB_LENGTH
 */
export function inflateSection(bytes: Uint8Array, size: number, section: string): Uint8Array {
  if (size > bytes.length * MAX_DEFLATE_RATIO) throw lengthError('E_ZLIB_LENGTH', section, 'fewer', size);
  try {
    // One buffer for the whole output; a byte more than expected shows that there is more.
    const options = { maxOutputLength: size + 1, chunkSize: size + 1 + 64 };
    const buffer = inflateSync(bytes, options);
    if (buffer.length === size) return buffer;
    throw lengthError('E_ZLIB_LENGTH', section, String(buffer.length), size);
  } catch (cause) {
    if (cause instanceof FormatError) throw cause;
    const { code, message } = cause as NodeJS.ErrnoException;
    if (code === 'ERR_BUFFER_TOO_LARGE') throw lengthError('E_ZLIB_LENGTH', section, 'more', size);
    throw new FormatError('E_ZLIB_DATA', `zlib data: ${message}`, { section }, { cause });
  }
}

/**
 * @param size that the output must have, bounded by the caller
 * @param section name for errors
 * @throws FormatError E_ZSTD_*
 */
export function unzstdSection(bytes: Uint8Array, size: number, section: string): Uint8Array {
  let output = new Uint8Array(Math.min(size, FIRST_BYTES));
  let length = 0;
  unzstdWhole(bytes, (piece) => {
    if (piece.length > size - length) throw lengthError('E_ZSTD_LENGTH', section, 'more', size);
    if (piece.length > output.length - length) {
      const larger = new Uint8Array(Math.min(size, Math.max(2 * output.length, length + piece.length)));
      larger.set(output.subarray(0, length));
      output = larger;
    }
    output.set(piece, length);
    length += piece.length;
  });
  if (length === size) return output;
  throw lengthError('E_ZSTD_LENGTH', section, String(length), size);
}

function lengthError(code: string, section: string, got: string, size: number): FormatError {
  return new FormatError(code, `compressed data holds ${got} bytes, its header says ${size}`, { section, limit: size });
}
