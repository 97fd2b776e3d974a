/** Folders and files that a header of a line program lists, which kernels/dwarf/line-files.ts reads. Source: DWARF 5, 6.2.4; DWARF 2 to 4, 6.2.4. */
import type { Address, DwarfKernel } from './kernel.js';
import type { LineHeader } from './line-header.js';

/** Where a path is written. */
export interface PathPlace {
  /** 0 where there is none. */
  readonly form: number;
  /** Of an inline text, its offset into the line program's part; else an offset or index, by the form. */
  readonly value: number;
}

export interface FileEntry extends PathPlace {
  /** Index into the folders. */
  readonly folder: number;
}

/** Doubles of a row, as the kernel's PathRow has them: the value; form and folder, as words. */
const ROW_DOUBLES = 2;

export class LineFiles {
  /** Files: from version 5 on counted from 0, before from 1. */
  readonly count: number;
  readonly #folderCount: number;
  /** Of the folders, and the files behind them. */
  readonly #values: Float64Array;
  readonly #words: Uint32Array;

  /** Those that a kernel has read. */
  constructor({ exports, doubles }: DwarfKernel) {
    const paths = exports.pathCount.value;
    const from = exports.pathRows() >>> 3;
    this.#folderCount = exports.folderCount.value;
    this.count = paths - this.#folderCount;
    this.#values = doubles.slice(from, from + paths * ROW_DOUBLES);
    this.#words = new Uint32Array(this.#values.buffer);
  }

  get heldBytes(): number {
    return this.#values.byteLength;
  }

  /** From version 5 on the first is the compilation's folder; before, the first is number 1. @returns undefined for one that is not listed */
  folder(index: number): PathPlace | undefined {
    return index >= 0 && index < this.#folderCount ? this.#entry(index) : undefined;
  }

  file(index: number): FileEntry | undefined {
    return index >= 0 && index < this.count ? this.#entry(this.#folderCount + index) : undefined;
  }

  #entry(row: number): FileEntry {
    const at = row * ROW_DOUBLES;
    return { value: this.#values[at]!, form: this.#words[2 * at + 2]!, folder: this.#words[2 * at + 3]! };
  }
}

/** @param part where the kernel has the bytes that the header was read from @throws FormatError E_DWARF_LINE, E_DWARF_FORM */
export function readLineFiles(kernel: DwarfKernel, part: Address, header: LineHeader): LineFiles {
  const { encoding, filesStart, programStart } = header;
  const layouts = encoding.version === 5 ? kernel.layouts(encoding) : 0;
  kernel.exports.readLineFiles(part + filesStart, part + programStart, layouts);
  return new LineFiles(kernel);
}
