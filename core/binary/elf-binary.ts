/** An ELF file as a Binary. */
import type { DebugSections } from '../formats/dwarf/sections.js';
import { elfDebugSections } from '../formats/elf/debug-sections.js';
import { type ElfFile, readElf } from '../formats/elf/file.js';
import { ElfMachine, ElfType } from '../formats/elf/header.js';
import { ElfImage } from '../formats/elf/image.js';
import { findGnuBuildId, findGoBuildId } from '../formats/elf/note.js';
import { SectionType } from '../formats/elf/section.js';
import { ElfSymbolTable } from '../formats/elf/symbol-table.js';
import { openGoTable } from '../formats/gopclntab/go-table.js';
import type { GoTable } from '../formats/gopclntab/table.js';
import type { Budget } from '../formats/limits.js';
import type { Architecture, Binary, Segment } from './binary.js';
import type { FileSource } from './file-source.js';

const ARCHITECTURE: { readonly [machine: number]: Architecture } = {
  [ElfMachine.x86_64]: 'amd64',
  [ElfMachine.aarch64]: 'arm64',
  [ElfMachine.i386]: '386',
  [ElfMachine.arm]: 'arm',
};

export class ElfBinary implements Binary {
  readonly format = 'elf';
  readonly path: string;
  readonly architecture: Architecture;
  readonly imageBase: bigint;
  readonly isPositionIndependent: boolean;
  readonly gnuBuildId: string | undefined;
  readonly goBuildId: string | undefined;
  readonly segments: readonly Segment[];
  readonly debug: DebugSections;
  readonly #source: FileSource;
  readonly symbolTables: readonly ElfSymbolTable[];
  readonly #image: ElfImage;
  readonly #budget: Budget;
  #go: { readonly table: GoTable | undefined } | undefined;

  /** @throws FormatError of `readElf` and its parts */
  constructor(source: FileSource, budget: Budget) {
    const elf: ElfFile = readElf(source, budget);
    this.#source = source;
    this.#budget = budget;
    this.#image = new ElfImage(elf);
    this.path = source.path;
    this.architecture = ARCHITECTURE[elf.header.machine] ?? 'other';
    this.imageBase = this.#image.imageBase;
    this.isPositionIndependent = elf.header.type === ElfType.dyn;
    this.gnuBuildId = findGnuBuildId(elf);
    this.goBuildId = findGoBuildId(elf);
    this.debug = elfDebugSections(elf, this.imageBase);
    this.symbolTables = [SectionType.symtab, SectionType.dynsym].flatMap((type) =>
      elf.sections
        .filter((section) => section.type === type)
        .map((section) => new ElfSymbolTable(elf, section, this.imageBase, budget)),
    );
    this.segments = this.#image.segments.map(({ objectAddress, memoryBytes, fileOffset, size, executable }) => ({
      objectAddress,
      memoryBytes,
      fileOffset,
      fileBytes: size,
      executable,
    }));
  }

  bytesAt(objectAddress: number, length: number): Uint8Array {
    return this.#image.bytesAt(objectAddress, length);
  }

  get go(): GoTable | undefined {
    this.#go ??= { table: openGoTable(this.#image, this.#budget) };
    return this.#go.table;
  }

  get heldBytes(): number {
    const ofTables = this.symbolTables.reduce((bytes, table) => bytes + table.heldBytes, 0);
    return this.#source.heldBytes + (this.#go?.table?.heldBytes ?? 0) + ofTables;
  }

  release(): void {
    this.#go = undefined;
    for (const table of this.symbolTables) table.release();
    this.#source.release();
  }
}
