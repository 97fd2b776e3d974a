/** An ELF file: headers are read at once, everything else when it is asked for. */
import { Budget } from '../limits.js';
import type { ByteSource } from '../source.js';
import { type ElfHeader, readElfHeader } from './header.js';
import { type ElfSection, readSections, SectionType } from './section.js';
import { type ElfSegment, readSegments } from './segment.js';

export interface ElfFile {
  readonly source: ByteSource;
  readonly header: ElfHeader;
  readonly segments: readonly ElfSegment[];
  /** In the order of the file, with the null section at 0; [] where the table is stripped. */
  readonly sections: readonly ElfSection[];
}

/** @throws FormatError for headers that lie about the file, see the readers of each */
export function readElf(source: ByteSource, budget: Budget = new Budget()): ElfFile {
  const header = readElfHeader(source);
  return {
    source,
    header,
    segments: readSegments(source, header, budget),
    sections: readSections(source, header, budget),
  };
}

export function findSection(elf: ElfFile, name: string): ElfSection | undefined {
  return elf.sections.find((section) => section.name === name);
}

/** The section's bytes as they are in the file (compressed ones too); none for one without bytes (.bss). */
export function sectionBytes(elf: ElfFile, section: ElfSection): Uint8Array {
  if (section.type === SectionType.nobits) return new Uint8Array(0);
  return elf.source.read(section.fileOffset, section.size, section.name);
}
