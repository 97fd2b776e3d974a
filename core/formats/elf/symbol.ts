/** ELF symbol tables, row by row. Source: System V ABI, "Symbol Table". */
import { FormatError } from '../errors.js';
import type { Budget } from '../limits.js';
import { type ElfFile, sectionBytes } from './file.js';
import { type ElfSection, SectionType } from './section.js';

export const SymbolType = {
  none: 0,
  object: 1,
  function: 2,
  section: 3,
  file: 4,
  tls: 6,
  indirectFunction: 10,
} as const;
export const SymbolBinding = { local: 0, global: 1, weak: 2, unique: 10 } as const;

/** Where the fields of a symbol stand in the two classes, in bytes. */
const LAYOUT = {
  4: { entryBytes: 16, value: 4, size: 8, info: 12 },
  8: { entryBytes: 24, value: 8, size: 16, info: 4 },
} as const;

/** A symbol table as a view: rows are read when they are asked for. */
export interface ElfSymbols {
  readonly length: number;
  /** All of it. */
  readonly bytes: Uint8Array;
  /** Offset of the name in the string table. */
  nameOffset(row: number): number;
  /** Low four bits of st_info: one of `SymbolType`. */
  type(row: number): number;
  /** High four bits of st_info: one of `SymbolBinding`. */
  binding(row: number): number;
  /** The value as its two halves, so that a walk over a million symbols makes no bigint. */
  valueLow(row: number): number;
  valueHigh(row: number): number;
  /** Inexact above 2^53. */
  size(row: number): number;
}

/**
 * Symbols of a section of type symtab or dynsym. A last entry that is cut is left out.
 * @throws FormatError E_ELF_SYMBOLS for one of another type or entry size; E_LIMIT
 */
export function readSymbols(elf: ElfFile, section: ElfSection, budget: Budget): ElfSymbols {
  const { entryBytes, ...field } = LAYOUT[elf.header.wordBytes];
  const isTable = section.type === SectionType.symtab || section.type === SectionType.dynsym;
  if (!isTable || section.entrySize !== entryBytes) {
    throw new FormatError('E_ELF_SYMBOLS', `not a symbol table with ${entryBytes}-byte entries`, {
      section: section.name,
      got: section.entrySize,
      limit: entryBytes,
    });
  }
  const bytes = sectionBytes(elf, section);
  const length = Math.floor(bytes.length / entryBytes);
  budget.check('tableRows', length, { section: section.name });
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const is64 = elf.header.wordBytes === 8;
  const u32 = (row: number, offset: number) => view.getUint32(row * entryBytes + offset, true);
  const high = (row: number, offset: number) => (is64 ? u32(row, offset + 4) : 0);
  return {
    length,
    bytes,
    nameOffset: (row) => u32(row, 0),
    type: (row) => view.getUint8(row * entryBytes + field.info) & 15,
    binding: (row) => view.getUint8(row * entryBytes + field.info) >>> 4,
    valueLow: (row) => u32(row, field.value),
    valueHigh: (row) => high(row, field.value),
    size: (row) => high(row, field.size) * 2 ** 32 + u32(row, field.size),
  };
}
