/**
 * kernels/symbols: makes the index of a symbol table, of symbols that are added one by one or of an ELF file's table. An instance for each,
 * since the memory that it takes is that of the table.
 */
import { defineKernel, type KernelExports } from '../kernel.js';
import { symbolsKernel } from './kernel.gen.js';
import { SymbolIndex, type SymbolRanges } from './symbol-index.js';

interface Global {
  readonly value: number;
}

/** What kernels/symbols/index.ts exports. Addresses are signed. */
interface SymbolsExports extends KernelExports {
  allocate(bytes: number): number;
  placeColumns(capacity: number): void;
  addSymbol(row: number, start: number, size: number, rank: number, sectionEnd: number): number;
  readonly ranks: Global;
  readonly rows: Global;
  readElf(
    table: number,
    rowCount: number,
    is64: boolean,
    hasThumb: boolean,
    baseHigh: number,
    baseLow: number,
    sections: number,
    sectionCount: number,
  ): void;
  readonly untyped: Global;
  readonly untypedCount: Global;
  readonly fileRows: Global;
  readonly fileCount: Global;
  scan(address: number): number;
  makeRanges(): void;
  readonly rangeCount: Global;
  readonly rangeStarts: Global;
  readonly rangeRows: Global;
  readonly namedCount: Global;
}

const newExports = defineKernel<SymbolsExports>('symbols', symbolsKernel);

export class SymbolsKernel {
  readonly exports = newExports();

  /** Copies bytes in. @returns where they are */
  put(bytes: Uint8Array): number {
    const address = this.exports.allocate(bytes.length);
    new Uint8Array(this.exports.memory.buffer).set(bytes, address >>> 0);
    return address;
  }

  /** Good until the next call into the kernel, as those of the other columns. */
  words(column: Global, count: number): Uint32Array {
    return new Uint32Array(this.exports.memory.buffer, column.value >>> 0, count);
  }

  numbers(column: Global, count: number): Float64Array {
    return new Float64Array(this.exports.memory.buffer, column.value >>> 0, count);
  }

  bytes(column: Global, count: number): Uint8Array {
    return new Uint8Array(this.exports.memory.buffer, column.value >>> 0, count);
  }

  /** Of the symbols that were added, which are the last. */
  index(): SymbolIndex {
    return new SymbolIndex(this);
  }

  /** Makes them of the symbols. */
  ranges(): SymbolRanges {
    const { exports } = this;
    exports.makeRanges();
    const count = exports.rangeCount.value;
    return {
      starts: this.numbers(exports.rangeStarts, count).slice(),
      rows: this.words(exports.rangeRows, count).slice(),
      symbols: exports.namedCount.value,
    };
  }
}
