/** Symbols of code, given one by one to the kernel that makes their index. */
import { SymbolsKernel } from './kernel.js';
import { LOCAL, UNTYPED } from './kernel-codes.js';
import type { ObjectSymbol } from './symbol.js';
import type { SymbolIndex } from './symbol-index.js';

export class SymbolColumns {
  readonly #kernel = new SymbolsKernel();

  /** @param capacity how often `add` will be called at most */
  constructor(capacity: number) {
    this.#kernel.exports.placeColumns(capacity);
  }

  /**
   * @param row the reader's own number of the symbol, larger than those before: what `SymbolIndex.find` gives back
   * @param sectionEnd object address where the symbol's section ends; a symbol does not go beyond it
   */
  add(
    row: number,
    { objectAddress, size, binding, type }: Pick<ObjectSymbol, 'objectAddress' | 'size' | 'binding' | 'type'>,
    sectionEnd: number,
  ): void {
    const rank = (binding === 'local' ? LOCAL : 0) + (type === 'untyped' ? UNTYPED : 0);
    this.#kernel.exports.addSymbol(row, objectAddress, size, rank, sectionEnd);
  }

  index(): SymbolIndex {
    return this.#kernel.index();
  }
}
