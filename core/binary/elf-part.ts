/** One ELF file of those that make up a binary: the file itself, its debug file, or what either of them refers to. */
import { type ElfFile, readElf } from '../formats/elf/file.js';
import { findGnuBuildId } from '../formats/elf/note.js';
import { SectionType } from '../formats/elf/section.js';
import { ElfSections } from '../formats/elf/sections-by-name.js';
import { ElfSymbolTable } from '../formats/elf/symbol-table.js';
import type { Budget } from '../formats/limits.js';
import type { ByteSource } from '../formats/source.js';

/** A source that can give back what it holds. */
export interface HeldSource extends ByteSource {
  readonly heldBytes: number;
  release(): void;
}

export class ElfPart {
  /** Of the file, or how messages call what is within one. */
  readonly path: string;
  readonly elf: ElfFile;
  readonly sections: ElfSections;
  readonly gnuBuildId: string | undefined;
  readonly #source: HeldSource;
  readonly #budget: Budget;
  readonly #tables: ElfSymbolTable[] = [];

  /** @throws FormatError of `readElf` and of notes */
  constructor(path: string, source: HeldSource, budget: Budget) {
    this.path = path;
    this.#source = source;
    this.#budget = budget;
    this.elf = readElf(source, budget);
    this.sections = new ElfSections(this.elf, budget);
    this.gnuBuildId = findGnuBuildId(this.elf);
  }

  /** Tables of one kind: none or one in what linkers write. @param imageBase what is taken off their addresses */
  symbolTables(kind: 'symtab' | 'dynsym', imageBase: bigint): ElfSymbolTable[] {
    const tables = this.elf.sections
      .filter((section) => section.type === SectionType[kind])
      .map((section) => new ElfSymbolTable(this.elf, section, imageBase, this.#budget));
    this.#tables.push(...tables);
    return tables;
  }

  get heldBytes(): number {
    const ofTables = this.#tables.reduce((bytes, table) => bytes + table.heldBytes, 0);
    return this.#source.heldBytes + this.sections.heldBytes + ofTables;
  }

  /** What is asked for later is read again. */
  release(): void {
    for (const table of this.#tables) table.release();
    this.sections.release();
    this.#source.release();
  }
}
