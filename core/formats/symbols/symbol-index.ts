/**
 * Symbols of code by address, for all object formats: disjoint ranges, which kernels/symbols/ranges.ts makes, so that a find is one binary
 * search. Symbols of one range are aliases: functions come before untyped ones, global and weak ones before local ones, and then the last of
 * the file is taken, as LLVM's tools and the Rust addr2line crate take it: what was declared first is what the others were made of.
 */
import { NO_SYMBOL } from './kernel-codes.js';

export class SymbolIndex {
  /** Where ranges begin, ascending; each ends where the next begins, the last one is nobody's. */
  readonly #starts: Float64Array;
  /** Row of the symbol that a range belongs to, or NO_SYMBOL. */
  readonly #rows: Uint32Array;
  /** Distinct ranges of symbols. */
  readonly length: number;

  constructor(starts: Float64Array, rows: Uint32Array, length: number) {
    this.#starts = starts;
    this.#rows = rows;
    this.length = length;
  }

  get heldBytes(): number {
    return this.#starts.byteLength + this.#rows.byteLength;
  }

  /** The reader's row of the symbol that an address lies in; undefined outside of every symbol. */
  find(objectAddress: number): number | undefined {
    const starts = this.#starts;
    let low = 0;
    let high = starts.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (starts[middle]! <= objectAddress) low = middle + 1;
      else high = middle;
    }
    const row = low === 0 ? NO_SYMBOL : this.#rows[low - 1]!;
    return row === NO_SYMBOL ? undefined : row;
  }
}
