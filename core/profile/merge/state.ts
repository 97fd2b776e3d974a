/**
 * A merge in progress: its header, and its tables, which are in a kernel's memory while something is added, and columns of bytes while it
 * waits or crosses threads. See kernels/merge/state.ts.
 */
import { freeBuffers } from '../../formats/free-buffers.js';
import { type MergeHeader, newHeader } from './header.js';
import { giveKernel, type MergeKernel, takeKernel } from './kernel.js';

/** Tables of a merge as bytes, in the kernel's order. */
export interface MergeTables {
  readonly columns: readonly Uint8Array[];
  /** See `MergeKernel`. */
  readonly turns: ReadonlyMap<number, number>;
}

export class MergeState {
  readonly header: MergeHeader;
  #kernel: MergeKernel | undefined;
  #tables: MergeTables | undefined;

  /** @param tables of a merge that is not empty */
  constructor(header = newHeader(), tables?: MergeTables) {
    this.header = header;
    this.#tables = tables;
  }

  /** The kernel that has the tables. */
  kernel(): MergeKernel {
    if (this.#kernel !== undefined) return this.#kernel;
    const kernel = takeKernel();
    const { exports } = kernel;
    if (this.#tables === undefined) exports.beginEmpty();
    else {
      exports.begin();
      for (const [i, column] of this.#tables.columns.entries()) {
        const at = exports.restoreColumn(i, column.length);
        kernel.view(Uint8Array, at, column.length).set(column);
      }
    }
    kernel.turns = new Map(this.#tables?.turns);
    this.#tables = undefined;
    this.#kernel = kernel;
    return kernel;
  }

  /** Whether its tables are not in the memory of a kernel. */
  get isAtRest(): boolean {
    return this.#kernel === undefined;
  }

  /** Of the tables, as bytes. */
  get byteLength(): number {
    if (this.#kernel === undefined && this.#tables === undefined) return 0;
    return this.tables().columns.reduce((sum, { length }) => sum + length, 0);
  }

  /** The tables as they are: a kernel's columns are views of its memory, good until something is added. */
  tables(): MergeTables {
    if (this.#tables !== undefined) return this.#tables;
    const kernel = this.kernel();
    const { columnCount, columnAt, columnLength } = kernel.exports;
    const view = (_: unknown, i: number) => kernel.view(Uint8Array, columnAt(i), columnLength(i) >>> 0);
    return { columns: Array.from({ length: columnCount() }, view), turns: kernel.turns };
  }

  /** The tables without the kernel, in memory of their own. */
  rest(): MergeTables {
    if (this.#tables === undefined) {
      const kernel = this.kernel();
      const { columns, turns } = this.tables();
      this.#tables = { columns: columns.map((column) => kernel.copy(column.byteOffset, column.length)), turns };
      this.#endKernel();
    }
    return this.#tables;
  }

  /** Nothing is left: the kernel is given back, or the memory of columns that have it for themselves. */
  end(): void {
    this.#endKernel();
    const columns = this.#tables?.columns ?? [];
    freeBuffers(columns.filter((column) => column.length === column.buffer.byteLength).map(({ buffer }) => buffer));
    this.#tables = undefined;
  }

  #endKernel(): void {
    if (this.#kernel !== undefined) giveKernel(this.#kernel);
    this.#kernel = undefined;
  }
}
