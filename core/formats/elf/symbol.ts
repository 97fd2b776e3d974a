/** ELF symbol tables. Source: System V ABI, "Symbol Table". */
import { FormatError } from '../errors.js';
import type { Budget } from '../limits.js';
import { type ElfFile, sectionBytes } from './file.js';
import { type ElfSection, SectionType } from './section.js';
import { stringInTable } from './string-table.js';

export const SymbolType = {
  none: 0,
  object: 1,
  function: 2,
  section: 3,
  file: 4,
  tls: 6,
  indirectFunction: 10,
} as const;

const SYMBOL_BYTES = 24;

/** A symbol table as a view: rows are read when they are asked for. */
export interface ElfSymbols {
  readonly length: number;
  name(row: number): string;
  /** Low four bits of st_info: one of `SymbolType`. */
  type(row: number): number;
  /** Section index; 0 for an undefined symbol. */
  section(row: number): number;
  value(row: number): bigint;
  size(row: number): bigint;
}

/**
 * Symbols of a section of type symtab or dynsym.
 * @throws FormatError E_ELF_SYMBOLS for one of another type, entry size or without a string table; E_LIMIT
 */
export function readSymbols(elf: ElfFile, section: ElfSection, budget: Budget): ElfSymbols {
  const strings = elf.sections[section.link];
  const isTable = section.type === SectionType.symtab || section.type === SectionType.dynsym;
  if (!isTable || section.entrySize !== SYMBOL_BYTES || strings?.type !== SectionType.strtab) {
    throw new FormatError('E_ELF_SYMBOLS', 'not a symbol table with 24-byte entries and a string table', {
      section: section.name,
      got: section.entrySize,
      limit: SYMBOL_BYTES,
    });
  }
  const bytes = sectionBytes(elf, section);
  const length = Math.floor(bytes.length / SYMBOL_BYTES);
  budget.check('tableRows', length, { section: section.name });
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const names = sectionBytes(elf, strings);
  return {
    length,
    name: (row) => stringInTable(names, view.getUint32(row * SYMBOL_BYTES, true), strings.name),
    type: (row) => view.getUint8(row * SYMBOL_BYTES + 4) & 15,
    section: (row) => view.getUint16(row * SYMBOL_BYTES + 6, true),
    value: (row) => view.getBigUint64(row * SYMBOL_BYTES + 8, true),
    size: (row) => view.getBigUint64(row * SYMBOL_BYTES + 16, true),
  };
}
