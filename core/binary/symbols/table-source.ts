/** A symbol table of the object format as a source: names, and of local ones the source file without its folder, from `.symtab` and its kin. */
import type { SymbolTable } from '../../formats/symbols/symbol.js';
import type { Binary } from '../binary.js';
import type { SymbolDetail, SymbolFrame, SymbolSource } from './source.js';

/** One source a table, in the binary's order. */
export function openTableSources({ symbolTables }: Binary): readonly SymbolSource[] {
  return symbolTables.map((table) => new TableSource(table));
}

class TableSource implements SymbolSource {
  readonly name: string;
  readonly gives: ReadonlySet<SymbolDetail> = new Set();
  readonly faults: readonly string[] = [];
  readonly #table: SymbolTable;

  constructor(table: SymbolTable) {
    this.name = table.name;
    this.#table = table;
  }

  framesAt(objectAddress: number): readonly SymbolFrame[] | undefined {
    const symbol = this.#table.find(objectAddress);
    if (symbol === undefined) return undefined;
    const { name, file } = symbol;
    return [{ function: name, systemName: name, file, line: 0, column: 0, startLine: 0 }];
  }
}
