/** A PE file as a Binary. */
import { noFrameSections } from '../formats/cfi/section.js';
import { DebugRanges } from '../formats/debug-ranges.js';
import { type Dwarf, openDwarf } from '../formats/dwarf/dwarf.js';
import type { DebugSections } from '../formats/dwarf/sections.js';
import { goBuildIdInCode } from '../formats/go-build-id.js';
import { openGoTable } from '../formats/gopclntab/go-table.js';
import type { GoTable } from '../formats/gopclntab/table.js';
import type { Budget } from '../formats/limits.js';
import { CoffSymbols } from '../formats/pe/coff-symbols.js';
import { PeExports } from '../formats/pe/export-symbols.js';
import { PeMachine, readPeFile } from '../formats/pe/file.js';
import { peImage } from '../formats/pe/image.js';
import type { SegmentImage } from '../formats/segment-image.js';
import type { Architecture, Binary, Segment } from './binary.js';
import type { FileSource } from './file-source.js';

const ARCHITECTURE: { readonly [machine: number]: Architecture } = {
  [PeMachine.amd64]: 'amd64',
  [PeMachine.arm64]: 'arm64',
  [PeMachine.i386]: '386',
  [PeMachine.arm]: 'arm',
};

export class PeBinary implements Binary {
  readonly format = 'pe';
  readonly path: string;
  readonly architecture: Architecture;
  readonly imageBase: bigint;
  readonly entry: bigint;
  readonly isPositionIndependent: boolean;
  readonly gnuBuildId = undefined;
  readonly goBuildId: string | undefined;
  readonly segments: readonly Segment[];
  readonly debug: DebugSections;
  readonly symbolTables: readonly (CoffSymbols | PeExports)[];
  readonly refusals: readonly string[] = [];
  readonly frames = noFrameSections;
  readonly #source: FileSource;
  readonly #image: SegmentImage;
  readonly #budget: Budget;
  readonly #sections: DebugRanges;
  #go: { readonly table: GoTable | undefined } | undefined;
  #dwarf: { readonly read: Dwarf | undefined } | undefined;

  /** @throws FormatError of `readPeFile` */
  constructor(source: FileSource, budget: Budget) {
    this.#source = source;
    this.#budget = budget;
    const file = readPeFile(source, budget);
    const image = peImage(file);
    this.#image = image;
    this.path = source.path;
    this.architecture = ARCHITECTURE[file.machine] ?? 'other';
    this.imageBase = image.imageBase;
    this.entry = file.entry === 0 ? 0n : image.imageBase + BigInt(file.entry);
    this.isPositionIndependent = file.isRelocatable;
    this.goBuildId = goBuildIdInCode(image);
    this.segments = image.segments.map(({ size, name: _, ...segment }) => ({ ...segment, fileBytes: size }));
    // The file's part is filled up to a multiple of 512 bytes.
    const ranges = file.sections
      .filter(({ name }) => /^\.z?debug_/.test(name))
      .map(({ name, fileOffset, fileBytes, memoryBytes }) => ({
        name,
        fileOffset,
        size: memoryBytes === 0 ? fileBytes : Math.min(memoryBytes, fileBytes),
      }));
    this.#sections = new DebugRanges(source, ranges, budget);
    this.symbolTables = [
      ...(file.symbolTable === undefined ? [] : [new CoffSymbols(file, file.symbolTable, budget)]),
      ...(file.exports === undefined ? [] : [new PeExports(image, file.exports, budget)]),
    ];
    this.debug = {
      addressBytes: file.wordBytes,
      isLittleEndian: true,
      imageBase: this.imageBase,
      section: (name) => this.#sections.find(name),
    };
  }

  bytesAt(objectAddress: number, length: number): Uint8Array {
    return this.#image.bytesAt(objectAddress, length);
  }

  get go(): GoTable | undefined {
    this.#go ??= { table: openGoTable(this.#image, this.#budget) };
    return this.#go.table;
  }

  get dwarf(): Dwarf | undefined {
    this.#dwarf ??= { read: openDwarf(this.debug) };
    return this.#dwarf.read;
  }

  get heldBytes(): number {
    const dwarf = this.#dwarf?.read?.heldBytes ?? 0;
    const symbols = this.symbolTables.reduce((bytes, table) => bytes + table.heldBytes, 0);
    return this.#source.heldBytes + this.#sections.heldBytes + symbols + dwarf + (this.#go?.table?.heldBytes ?? 0);
  }

  release(): void {
    this.#go = undefined;
    this.#dwarf = undefined;
    for (const table of this.symbolTables) table.release();
    this.#sections.release();
    this.#source.release();
  }
}
