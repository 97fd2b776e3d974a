/** ELF section headers. Source: System V ABI, "Sections". */
import { FormatError } from '../errors.js';
import type { Budget } from '../limits.js';
import { ByteReader } from '../reader.js';
import type { ByteSource } from '../source.js';
import type { ElfHeader } from './header.js';
import { stringInTable } from './string-table.js';
import { readSizeWord, readWord } from './word.js';

export const SectionType = { symtab: 2, strtab: 3, note: 7, nobits: 8, dynsym: 11 } as const;
export const SectionFlag = { write: 1, alloc: 2, execute: 4, compressed: 0x800 } as const;

/** One section header, fields in the order of the ABI. */
export interface ElfSection {
  readonly name: string;
  readonly type: number;
  readonly flags: number;
  readonly virtualAddress: bigint;
  readonly fileOffset: number;
  readonly size: number;
  /** Row of a related section: a symbol table's string table. */
  readonly link: number;
  readonly align: bigint;
  readonly entrySize: number;
}

/**
 * All sections, row 0 included, so that rows are the file's section indexes.
 * @throws FormatError E_LIMIT, E_TRUNCATED, E_ELF_STRING_SECTION, E_ELF_SECTION for one that ends behind the file's end
 */
export function readSections(source: ByteSource, header: ElfHeader, budget: Budget): ElfSection[] {
  const { wordBytes } = header;
  const { fileOffset, count, entryBytes } = header.sectionHeaders;
  const place = 'section headers';
  budget.check('elfSections', count, { section: place });
  const reader = new ByteReader(source.read(fileOffset, count * entryBytes, place), place);
  const rows: (Omit<ElfSection, 'name'> & { nameOffset: number })[] = [];
  for (let row = 0; row < count; row++) {
    const at = reader.offset;
    const nameOffset = reader.u32();
    const type = reader.u32();
    const flags = Number(readWord(reader, wordBytes) & 0xffffffffn);
    const virtualAddress = readWord(reader, wordBytes);
    const sectionOffset = readSizeWord(reader, wordBytes);
    const size = readSizeWord(reader, wordBytes);
    const link = reader.u32();
    reader.skip(4); // info
    const align = readWord(reader, wordBytes);
    const entrySize = readSizeWord(reader, wordBytes);
    if (row > 0 && type !== SectionType.nobits && type !== 0 && sectionOffset + size > source.size) {
      throw new FormatError('E_ELF_SECTION', `section ${row} ends behind the end of the file`, {
        section: place,
        offset: at,
        got: sectionOffset + size,
        limit: source.size,
      });
    }
    rows.push({ nameOffset, type, flags, virtualAddress, fileOffset: sectionOffset, size, link, align, entrySize });
  }
  const names = readSectionNames(source, rows, header);
  return rows.map(({ nameOffset, ...rest }) => ({ name: stringInTable(names, nameOffset, '.shstrtab'), ...rest }));
}

function readSectionNames(
  source: ByteSource,
  rows: readonly Omit<ElfSection, 'name'>[],
  { sectionNames: index, wordBytes }: ElfHeader,
): Uint8Array | undefined {
  if (index === 0) return undefined;
  const section = rows[index];
  if (section === undefined || section.type !== SectionType.strtab) {
    throw new FormatError('E_ELF_STRING_SECTION', 'section names are in a section that is no string table', {
      section: 'ELF header',
      offset: wordBytes === 8 ? 62 : 50,
      got: index,
      limit: rows.length,
    });
  }
  return source.read(section.fileOffset, section.size, 'section names');
}
