/** Names by all symbol tables of a binary, for sources that know more of an address than its name. */
import { FormatError } from '../../formats/errors.js';
import type { ObjectSymbol, SymbolTable } from '../../formats/symbols/symbol.js';
import type { Binary } from '../binary.js';

export class SymbolNames {
  /** The most complete first. */
  readonly #tables: SymbolTable[];

  constructor({ symbolTables }: Binary) {
    this.#tables = [...symbolTables];
  }

  /** What the first table that knows the address says. A spoilt table is not asked again: as a source it is for the chain to report. */
  find(objectAddress: number): ObjectSymbol | undefined {
    for (const table of this.#tables) {
      try {
        const symbol = table.find(objectAddress);
        if (symbol !== undefined) return symbol;
      } catch (error) {
        if (!(error instanceof FormatError)) throw error;
        this.#tables.splice(this.#tables.indexOf(table), 1);
        return this.find(objectAddress);
      }
    }
    return undefined;
  }
}
