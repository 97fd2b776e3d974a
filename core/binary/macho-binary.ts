/** A Mach-O file as a Binary. */
import { basename, join } from 'node:path';
import { noFrameSections } from '../formats/cfi/section.js';
import { DebugRanges } from '../formats/debug-ranges.js';
import type { Dwarf } from '../formats/dwarf/dwarf.js';
import type { DebugSections } from '../formats/dwarf/sections.js';
import { FormatError } from '../formats/errors.js';
import { goBuildIdInCode } from '../formats/go-build-id.js';
import type { GoTable } from '../formats/gopclntab/table.js';
import type { Budget } from '../formats/limits.js';
import { type MachFile, readMachFile } from '../formats/macho/file.js';
import { MachCpu, MachFileType, MachFlag } from '../formats/macho/header.js';
import { elfName, machImage } from '../formats/macho/image.js';
import { MachSymbols } from '../formats/macho/symbol-table.js';
import type { SegmentImage } from '../formats/segment-image.js';
import type { Architecture, Binary, Segment } from './binary.js';
import { FileSource } from './file-source.js';
import { LazyTables, segmentsOf } from './lazy-tables.js';
import { type MachSlice, slicesOf } from './macho-slices.js';

const ARCHITECTURE: { readonly [cpu: number]: Architecture } = {
  [MachCpu.x86_64]: 'amd64',
  [MachCpu.arm64]: 'arm64',
};
/** What a section's name has room for, with the dot that stands for two underscores. */
const NAME_BYTES = 15;

/** Of a universal file the slice of this machine, else the first; the others are its siblings. @throws FormatError of `slicesOf` and `MachBinary` */
export function openMachBinary(source: FileSource, budget: Budget): MachBinary {
  const here = process.arch === 'arm64' ? MachCpu.arm64 : MachCpu.x86_64;
  return new MachBinary(source, slicesOf(source, here), budget);
}

export class MachBinary implements Binary {
  readonly format = 'macho';
  readonly path: string;
  readonly architecture: Architecture;
  readonly imageBase: bigint;
  readonly entry: bigint;
  readonly isPositionIndependent: boolean;
  /** The UUID, which is what a build ID is on this system. */
  readonly gnuBuildId: string | undefined;
  readonly goBuildId: string | undefined;
  readonly segments: readonly Segment[];
  readonly debug: DebugSections;
  readonly symbolTables: readonly MachSymbols[];
  readonly refusals: string[] = [];
  readonly frames = noFrameSections;
  readonly #file: FileSource;
  readonly #image: SegmentImage;
  readonly #budget: Budget;
  readonly #own: DebugRanges;
  #bundle: { readonly source: FileSource; readonly ranges: DebugRanges } | null | undefined;
  readonly #tables: LazyTables;
  readonly #others: readonly MachSlice[];
  #siblings: readonly MachBinary[] | undefined;

  /** @param slices of a universal file, the first of which this is; else the whole @throws FormatError of `readMachFile` and its parts */
  constructor(source: FileSource, [slice, ...others]: readonly [MachSlice, ...MachSlice[]], budget: Budget) {
    this.#file = source;
    this.#others = others;
    this.#budget = budget;
    const file = readMachFile(slice.source, budget);
    this.#image = machImage(file);
    this.path = source.path;
    this.architecture = ARCHITECTURE[file.header.cpu] ?? 'other';
    this.imageBase = this.#image.imageBase;
    // The segment that begins with the file is the one at the image base.
    this.entry = file.entryOffset === undefined ? 0n : this.imageBase + BigInt(file.entryOffset);
    this.isPositionIndependent =
      (file.header.flags & MachFlag.pie) !== 0 || file.header.fileType !== MachFileType.execute;
    this.gnuBuildId = file.uuid;
    this.goBuildId = goBuildIdInCode(this.#image);
    // Mappings count from the start of the universal file.
    this.segments = segmentsOf(this.#image).map((segment) => ({
      ...segment,
      fileOffset: slice.fileOffset + segment.fileOffset,
    }));
    this.#own = debugRanges(file, budget);
    const { symbolTable } = file;
    this.symbolTables = symbolTable === undefined ? [] : [new MachSymbols(file, symbolTable, this.imageBase, budget)];
    this.debug = {
      addressBytes: 8,
      isLittleEndian: true,
      imageBase: this.imageBase,
      section: (name) => this.#own.find(name) ?? this.#dsym()?.find(name),
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

  get siblings(): readonly MachBinary[] {
    this.#siblings ??= this.#others.flatMap((slice) => this.#openSibling(slice) ?? []);
    return this.#siblings;
  }

  get heldBytes(): number {
    const siblings = this.#siblings?.reduce((bytes, sibling) => bytes + sibling.#ownBytes, 0) ?? 0;
    return this.#file.heldBytes + this.#ownBytes + siblings;
  }

  get #ownBytes(): number {
    const symbols = this.symbolTables.reduce((bytes, table) => bytes + table.heldBytes, 0);
    const bundle = (this.#bundle?.ranges.heldBytes ?? 0) + (this.#bundle?.source.heldBytes ?? 0);
    return this.#own.heldBytes + bundle + symbols + this.#tables.heldBytes;
  }

  release(): void {
    for (const sibling of this.#siblings ?? []) sibling.release();
    this.#tables.release();
    for (const table of this.symbolTables) table.release();
    this.#own.release();
    this.#bundle?.ranges.release();
    this.#bundle?.source.release();
    this.#file.release();
  }

  #openSibling(slice: MachSlice): MachBinary | undefined {
    try {
      return new MachBinary(this.#file, [slice], this.#budget);
    } catch (error) {
      if (!(error instanceof FormatError)) throw error;
      this.refusals.push(`${this.path}: slice at 0x${slice.fileOffset.toString(16)}: ${error.describe()}`);
      return undefined;
    }
  }

  /** The debug information that `dsymutil` put beside the file: PATH.dSYM, of the same UUID. */
  #dsym(): DebugRanges | undefined {
    if (this.#bundle === undefined) this.#bundle = this.#openDsym() ?? null;
    return this.#bundle?.ranges;
  }

  #openDsym() {
    const path = join(`${this.path}.dSYM`, 'Contents', 'Resources', 'DWARF', basename(this.path));
    let source: FileSource;
    try {
      source = new FileSource(path, this.#budget);
    } catch {
      return undefined;
    }
    try {
      const files = slicesOf(source).map((slice) => readMachFile(slice.source, this.#budget));
      const file = files.find(({ uuid }) => uuid === this.gnuBuildId);
      if (file !== undefined) return { source, ranges: debugRanges(file, this.#budget) };
      const uuids = files.map(({ uuid }) => uuid).join(', ');
      this.refusals.push(`${path} has UUID ${uuids}, wanted is ${this.gnuBuildId}: not used`);
    } catch (error) {
      if (!(error instanceof FormatError)) throw error;
      this.refusals.push(`${path}: ${error.describe()}`);
    }
    source.release();
    return undefined;
  }
}

function debugRanges({ source, sections }: MachFile, budget: Budget): DebugRanges {
  const ranges = sections
    .filter(({ name }) => /^__z?debug_/.test(name))
    .map((section) => ({ name: elfName(section), fileOffset: section.fileOffset, size: section.size }));
  return new DebugRanges(source, ranges, budget, NAME_BYTES);
}
