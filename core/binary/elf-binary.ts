/** An ELF file as a Binary. */
import type { FrameSections } from '../formats/cfi/section.js';
import type { Dwarf } from '../formats/dwarf/dwarf.js';
import type { ElfFile } from '../formats/elf/file.js';
import { elfFrameSections } from '../formats/elf/frame-sections.js';
import { ElfMachine, ElfType } from '../formats/elf/header.js';
import { ElfImage } from '../formats/elf/image.js';
import { findGoBuildId } from '../formats/elf/note.js';
import { SegmentType } from '../formats/elf/segment.js';
import type { GoTable } from '../formats/gopclntab/table.js';
import type { Budget } from '../formats/limits.js';
import type { SymbolTable } from '../formats/symbols/symbol.js';
import type { Architecture, Binary, Segment } from './binary.js';
import { DebugFiles, type DebugSearch } from './debug-files.js';
import { ElfDebug } from './elf-debug.js';
import { ElfPart, type HeldSource } from './elf-part.js';
import { LazyTables, segmentsOf } from './lazy-tables.js';

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
  readonly entry: bigint;
  readonly isPositionIndependent: boolean;
  readonly gnuBuildId: string | undefined;
  readonly goBuildId: string | undefined;
  readonly segments: readonly Segment[];
  readonly debug: ElfDebug;
  readonly #files: DebugFiles;
  readonly #elf: ElfFile;
  readonly #image: ElfImage;
  #frames: FrameSections | undefined;
  readonly #tables: LazyTables;

  /** @throws FormatError of `readElf` and its parts */
  constructor(source: HeldSource & { readonly path: string }, budget: Budget, search: DebugSearch) {
    const part = new ElfPart(source.path, source, budget);
    const { elf } = part;
    this.#elf = elf;
    this.#image = new ElfImage(elf);
    this.path = source.path;
    this.architecture = ARCHITECTURE[elf.header.machine] ?? 'other';
    this.imageBase = this.#image.imageBase;
    this.entry = hasEntry(elf) ? elf.header.entry : 0n;
    this.isPositionIndependent = elf.header.type === ElfType.dyn;
    this.gnuBuildId = part.gnuBuildId;
    this.goBuildId = findGoBuildId(elf);
    this.#files = new DebugFiles(search, budget);
    this.debug = new ElfDebug(part, this.imageBase, this.#files);
    this.segments = segmentsOf(this.#image);
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

  get symbolTables(): readonly SymbolTable[] {
    return this.debug.symbolTables;
  }

  get refusals(): readonly string[] {
    return this.#files.refusals;
  }

  get frames(): FrameSections {
    this.#frames ??= elfFrameSections(this.#elf, this.#image, this.debug);
    return this.#frames;
  }

  get heldBytes(): number {
    const frameBytes = this.#frames?.sections.reduce((sum, { bytes }) => sum + bytes.length, 0) ?? 0;
    return this.debug.heldBytes + frameBytes + this.#tables.heldBytes;
  }

  release(): void {
    this.#tables.release();
    this.#frames = undefined;
    this.debug.release();
  }
}

/** What no loader could prepare begins nowhere: `perf inject` makes such a file of each function that was made at run time. */
function hasEntry({ header, segments }: ElfFile): boolean {
  return header.type !== ElfType.dyn || segments.some(({ type }) => type === SegmentType.dynamic);
}
