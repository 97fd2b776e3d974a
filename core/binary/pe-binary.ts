/** A PE file as a Binary. */
import { noFrameSections } from '../formats/cfi/section.js';
import { DebugRanges } from '../formats/debug-ranges.js';
import type { Dwarf } from '../formats/dwarf/dwarf.js';
import type { DebugSections } from '../formats/dwarf/sections.js';
import { goBuildIdInCode } from '../formats/go-build-id.js';
import type { GoTable } from '../formats/gopclntab/table.js';
import type { Budget } from '../formats/limits.js';
import { CoffSymbols } from '../formats/pe/coff-symbols.js';
import { PeExports } from '../formats/pe/export-symbols.js';
import { PeMachine, readPeFile } from '../formats/pe/file.js';
import { peImage } from '../formats/pe/image.js';
import type { SegmentImage } from '../formats/segment-image.js';
import type { Architecture, Binary, Segment } from './binary.js';
import type { FileSource } from './file-source.js';
import { LazyTables, segmentsOf } from './lazy-tables.js';

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
  readonly #sections: DebugRanges;
  readonly #tables: LazyTables;

  /** @throws FormatError of `readPeFile` */
  constructor(source: FileSource, budget: Budget) {
    this.#source = source;
    const file = readPeFile(source, budget);
    const image = peImage(file);
    this.#image = image;
    this.path = source.path;
    this.architecture = ARCHITECTURE[file.machine] ?? 'other';
    this.imageBase = image.imageBase;
    this.entry = file.entry === 0 ? 0n : image.imageBase + BigInt(file.entry);
    this.isPositionIndependent = file.isRelocatable;
    this.goBuildId = goBuildIdInCode(image);
    this.segments = segmentsOf(this.#image);
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
    this.#tables = new LazyTables(this.#image, this.debug, budget);
  }

  bytesAt(objectAddress: number, length: number): Uint8Array {
    return this.#image.bytesAt(objectAddress, length);
  }

  get go(): GoTable | undefined {
    return this.#tables.go;
  }

  get dwarf(): Dwarf | undefined {
    return this.#tables.dwarf;
  }

  get heldBytes(): number {
    const symbols = this.symbolTables.reduce((bytes, table) => bytes + table.heldBytes, 0);
    return this.#source.heldBytes + this.#sections.heldBytes + symbols + this.#tables.heldBytes;
  }

  release(): void {
    this.#tables.release();
    for (const table of this.symbolTables) table.release();
    this.#sections.release();
    this.#source.release();
  }
}
