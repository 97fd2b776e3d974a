/**
 * Symbols of code by address, for all object formats: disjoint ranges, which kernels/symbols/ranges.ts makes, so that a find is one binary
 * search. Symbols of one range are aliases: functions come before untyped ones, global and weak ones before local ones, and then the last of
 * the file is taken, as LLVM's tools and the Rust addr2line crate take it: what was declared first is what the others were made of.
 */
import type { SymbolsKernel } from './kernel.js';
import { NO_SYMBOL } from './kernel-codes.js';

/** Questions that are answered without ranges: who has one address would wait longer for them than for all the rest. */
const SCANS = 4;

export interface SymbolRanges {
  /** Where they begin, ascending; each ends where the next begins, the last one is nobody's. */
  readonly starts: Float64Array;
  /** Row of the symbol that a range belongs to, or NO_SYMBOL. */
  readonly rows: Uint32Array;
  /** Distinct ranges of symbols. */
  readonly symbols: number;
}

export class SymbolIndex {
  /** Has the symbols until there are ranges. */
  #kernel: SymbolsKernel | undefined;
  #made: SymbolRanges | undefined;
  #scans = 0;

  constructor(kernel: SymbolsKernel) {
    this.#kernel = kernel;
  }

  /** Distinct ranges of symbols. */
  get length(): number {
    return this.#ranges().symbols;
  }

  get heldBytes(): number {
    if (this.#made === undefined) return this.#kernel!.exports.memory.buffer.byteLength;
    return this.#made.starts.byteLength + this.#made.rows.byteLength;
  }

  /** The reader's row of the symbol that an address lies in; undefined outside of every symbol. */
  find(objectAddress: number): number | undefined {
    const row =
      this.#made === undefined && this.#scans < SCANS ? this.#scan(objectAddress) : this.#search(objectAddress);
    return row === NO_SYMBOL ? undefined : row;
  }

  #scan(objectAddress: number): number {
    this.#scans++;
    return this.#kernel!.exports.scan(objectAddress) >>> 0;
  }

  #search(objectAddress: number): number {
    const { starts, rows } = this.#ranges();
    let low = 0;
    let high = starts.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (starts[middle]! <= objectAddress) low = middle + 1;
      else high = middle;
    }
    return low === 0 ? NO_SYMBOL : rows[low - 1]!;
  }

  #ranges(): SymbolRanges {
    if (this.#made === undefined) {
      this.#made = this.#kernel!.ranges();
      this.#kernel = undefined;
    }
    return this.#made;
  }
}
