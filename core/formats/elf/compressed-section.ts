/**
 * Compressed sections of ELF files. Source: System V ABI, "Section Compression" (Elf32_Chdr, Elf64_Chdr); `.zdebug_*`: binutils'
 * older form, "ZLIB" and the size in big-endian.
 */
import { inflateSection, unzstdSection } from '../compression/section.js';
import { inflateZdebug } from '../compression/zdebug.js';
import { FormatError } from '../errors.js';
import type { Budget } from '../limits.js';
import { ByteReader } from '../reader.js';
import { type ElfFile, sectionBytes } from './file.js';
import { type ElfSection, SectionFlag } from './section.js';
import { readSizeWord } from './word.js';

const CompressionType = { zlib: 1, zstd: 2 } as const;

export function isCompressed({ flags, name }: ElfSection): boolean {
  return (flags & SectionFlag.compressed) !== 0 || name.startsWith('.zdebug_');
}

/** The section's content. @throws FormatError E_ELF_COMPRESSION, E_LIMIT, E_ZLIB_*, E_ZSTD_* */
export function decompressSection(elf: ElfFile, section: ElfSection, budget: Budget): Uint8Array {
  const bytes = sectionBytes(elf, section);
  if ((section.flags & SectionFlag.compressed) === 0) return inflateZdebug(bytes, section.name, budget);
  const { type, size, headerBytes } = readHeader(bytes, section, elf);
  budget.check('objectTableBytes', size, { section: section.name });
  const data = bytes.subarray(headerBytes);
  return type === CompressionType.zlib
    ? inflateSection(data, size, section.name)
    : unzstdSection(data, size, section.name);
}

interface CompressionHeader {
  readonly type: number;
  /** Of the decompressed content. */
  readonly size: number;
  readonly headerBytes: number;
}

function readHeader(bytes: Uint8Array, { name }: ElfSection, { header: { wordBytes } }: ElfFile): CompressionHeader {
  const reader = new ByteReader(bytes, name);
  const type = reader.u32();
  if (wordBytes === 8) reader.skip(4); // reserved
  const size = readSizeWord(reader, wordBytes);
  reader.skip(wordBytes); // alignment
  if (type !== CompressionType.zlib && type !== CompressionType.zstd) {
    throw new FormatError('E_ELF_COMPRESSION', 'compression is neither zlib (1) nor zstd (2)', {
      section: name,
      offset: 0,
      got: type,
    });
  }
  return { type, size, headerBytes: reader.offset };
}
