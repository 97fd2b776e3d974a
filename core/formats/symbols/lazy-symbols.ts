/** A symbol table that is read at the first question, whatever its format. */
import type { ObjectSymbol, SymbolTable } from './symbol.js';
import type { SymbolIndex } from './symbol-index.js';

/** @template Read what is kept of the table between questions */
export abstract class LazySymbols<Read extends { readonly index: SymbolIndex }> implements SymbolTable {
  abstract readonly name: string;
  #read: Read | undefined;

  get length(): number {
    return this.#table().index.length;
  }

  get heldBytes(): number {
    return this.#read === undefined ? 0 : this.#read.index.heldBytes + this.bytesOf(this.#read);
  }

  /** @throws FormatError of `readAll` and `symbolAt` */
  find(objectAddress: number): ObjectSymbol | undefined {
    const read = this.#table();
    const row = read.index.find(objectAddress);
    return row === undefined ? undefined : this.symbolAt(read, row);
  }

  /** Drops what was read; the next question reads it again. */
  release(): void {
    this.#read = undefined;
  }

  protected abstract readAll(): Read;
  /** Of what is kept besides the index. */
  protected abstract bytesOf(read: Read): number;
  protected abstract symbolAt(read: Read, row: number): ObjectSymbol;

  #table(): Read {
    this.#read ??= this.readAll();
    return this.#read;
  }
}
