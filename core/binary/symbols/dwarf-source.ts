/** DWARF: what compilers write for debuggers, in files that are not stripped or in debug files beside them. */
import { type Dwarf, openDwarf } from '../../formats/dwarf/dwarf.js';
import type { Binary } from '../binary.js';
import type { SymbolDetail, SymbolFrame, SymbolSource } from './source.js';

export function openDwarfSource({ debug }: Binary): SymbolSource | undefined {
  const dwarf = openDwarf(debug);
  return dwarf && new DwarfSource(dwarf);
}

class DwarfSource implements SymbolSource {
  readonly name = 'dwarf';
  readonly gives: ReadonlySet<SymbolDetail> = new Set(['lines', 'columns', 'inlines', 'start_lines']);
  readonly #dwarf: Dwarf;

  constructor(dwarf: Dwarf) {
    this.#dwarf = dwarf;
  }

  framesAt(objectAddress: number): readonly SymbolFrame[] | undefined {
    return this.#dwarf.framesAt(objectAddress);
  }
}
