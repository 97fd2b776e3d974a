/** An ELF file's debug sections, for the DWARF reader. */
import type { DebugSections } from '../dwarf/sections.js';
import { FormatError } from '../errors.js';
import type { ByteSource } from '../source.js';
import { type ElfFile, findSection } from './file.js';
import { SectionFlag, SectionType } from './section.js';

export function elfDebugSections(elf: ElfFile, imageBase: bigint): DebugSections {
  return {
    addressBytes: elf.header.wordBytes,
    isLittleEndian: true,
    imageBase,
    section(name): ByteSource | undefined {
      const section = findSection(elf, name);
      if (section === undefined || section.type === SectionType.nobits) return undefined;
      if ((section.flags & SectionFlag.compressed) !== 0) {
        throw new FormatError('E_ELF_COMPRESSION', 'compressed section not supported', { section: name });
      }
      return {
        size: section.size,
        read(offset, length, part) {
          if (length <= section.size - offset) return elf.source.read(section.fileOffset + offset, length, part);
          throw new FormatError('E_TRUNCATED', `${part} does not lie within its section`, {
            section: name,
            offset,
            got: length,
            limit: section.size - offset,
          });
        },
      };
    },
  };
}
