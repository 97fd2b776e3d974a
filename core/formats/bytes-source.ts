/** Bytes at hand, or a range of another source, as a ByteSource. */
import { FormatError } from './errors.js';
import type { ByteSource } from './source.js';

/** @param name of the bytes, for errors */
export function bytesSource(bytes: Uint8Array, name: string): ByteSource {
  return {
    size: bytes.length,
    read(offset, length, part) {
      expectInside(offset, length, bytes.length, part, name);
      return bytes.subarray(offset, offset + length);
    },
  };
}

/** A section as a source of its own: offsets count from its start. */
export function rangeSource(
  source: ByteSource,
  { fileOffset, size, name }: { readonly fileOffset: number; readonly size: number; readonly name: string },
): ByteSource {
  return {
    size,
    read(offset, length, part) {
      expectInside(offset, length, size, part, name);
      return source.read(fileOffset + offset, length, part);
    },
  };
}

function expectInside(offset: number, length: number, size: number, part: string, section: string): void {
  if (offset >= 0 && length >= 0 && length <= size - offset) return;
  throw new FormatError('E_TRUNCATED', `${part} does not lie within its section`, {
    section,
    offset,
    got: length,
    limit: size - offset,
  });
}
