/** `.zdebug_*` sections: the older form of compression, of binutils and Go: "ZLIB", the size in big-endian, zlib data. */
import { FormatError } from '../errors.js';
import type { Budget } from '../limits.js';
import { ByteReader } from '../reader.js';
import { inflateSection } from './section.js';

const MAGIC = 0x42494c5a;
const HEADER_BYTES = 12;

/** @param section name for errors @throws FormatError E_ZDEBUG, E_LIMIT, E_ZLIB_* */
export function inflateZdebug(bytes: Uint8Array, section: string, budget: Budget): Uint8Array {
  const magic = new ByteReader(bytes, section).u32();
  if (magic !== MAGIC) {
    const got = `0x${magic.toString(16)}`;
    throw new FormatError('E_ZDEBUG', 'section does not begin with "ZLIB"', { section, offset: 0, got });
  }
  const size = new ByteReader(bytes, section, 4, false).size64();
  budget.check('objectTableBytes', size, { section });
  return inflateSection(bytes.subarray(HEADER_BYTES), size, section);
}
