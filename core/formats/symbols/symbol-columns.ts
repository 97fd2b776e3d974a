/** Symbols of code by columns, which a reader fills for its index. */
import { SymbolsKernel } from './kernel.js';
import { LOCAL, UNSIZED, UNTYPED } from './kernel-codes.js';
import type { ObjectSymbol } from './symbol.js';
import type { SymbolIndex } from './symbol-index.js';

export class SymbolColumns {
  #length = 0;
  readonly #start: Float64Array;
  readonly #end: Float64Array;
  readonly #rank: Uint8Array;
  readonly #row: Uint32Array;

  /** @param capacity how often `add` will be called at most */
  constructor(capacity: number) {
    this.#start = new Float64Array(capacity);
    this.#end = new Float64Array(capacity);
    this.#rank = new Uint8Array(capacity);
    this.#row = new Uint32Array(capacity);
  }

  /**
   * @param row the reader's own number of the symbol, larger than those before: what `SymbolIndex.find` gives back
   * @param sectionEnd object address where the symbol's section ends; a symbol does not go beyond it
   */
  add(
    row: number,
    symbol: Pick<ObjectSymbol, 'objectAddress' | 'size' | 'binding' | 'type'>,
    sectionEnd: number,
  ): void {
    const { objectAddress, size, binding, type } = symbol;
    if (!(objectAddress >= 0 && objectAddress < sectionEnd)) return;
    const at = this.#length++;
    this.#start[at] = objectAddress;
    this.#end[at] = size === 0 ? sectionEnd : Math.min(objectAddress + size, sectionEnd);
    this.#rank[at] =
      (binding === 'local' ? LOCAL : 0) + (type === 'untyped' ? UNTYPED : 0) + (size === 0 ? UNSIZED : 0);
    this.#row[at] = row;
  }

  index(): SymbolIndex {
    const length = this.#length;
    const kernel = new SymbolsKernel();
    const { exports } = kernel;
    exports.placeColumns(length, length);
    kernel.numbers(exports.starts, length).set(this.#start.subarray(0, length));
    kernel.numbers(exports.ends, length).set(this.#end.subarray(0, length));
    kernel.bytes(exports.ranks, length).set(this.#rank.subarray(0, length));
    kernel.words(exports.rows, length).set(this.#row.subarray(0, length));
    return kernel.index();
  }
}
