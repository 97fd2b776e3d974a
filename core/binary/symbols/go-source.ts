/** Go's own table: in every Go binary, stripped or not. */
import type { GoTable } from '../../formats/gopclntab/table.js';
import type { Binary } from '../binary.js';
import type { FrameRows, SymbolDetail, SymbolFrame, SymbolSource } from './source.js';

export function openGoSource({ go }: Binary): readonly SymbolSource[] {
  return go === undefined ? [] : [new GoSource(go)];
}

class GoSource implements SymbolSource {
  readonly name = 'gopclntab';
  readonly gives: ReadonlySet<SymbolDetail>;
  readonly faults: readonly string[] = [];
  readonly #table: GoTable;

  constructor(table: GoTable) {
    this.#table = table;
    this.gives = new Set<SymbolDetail>([
      'lines',
      ...(table.hasInlinedCalls ? (['inlines'] as const) : []),
      ...(table.layout === '1.20' ? (['start_lines'] as const) : []),
    ]);
  }

  framesAt(objectAddress: number): readonly SymbolFrame[] | undefined {
    const found = this.#table.frames(objectAddress);
    if (found.length === 0 && this.#table.find(objectAddress) < 0) return undefined;
    return found.map(({ function: name, file, line, startLine }) => {
      return { function: name, systemName: name, file, line, column: 0, startLine };
    });
  }

  rowsAt(objectAddresses: Float64Array): FrameRows | undefined {
    return this.#table.frameRows(objectAddresses);
  }
}
