/**
 * DWARF: what compilers write for debuggers, in files that are not stripped or in debug files beside them.
 *
 * The outermost function is called what the symbol table calls it, as other symbolizers do: the compiler's copies (`f.isra.0`,
 * `f.constprop.0`, `f.cold`) have DWARF of the function that they were made of, and local functions have no linker's name in it.
 */
import type { Dwarf } from '../../formats/dwarf/dwarf.js';
import { FormatError } from '../../formats/errors.js';
import type { ObjectSymbol } from '../../formats/symbols/symbol.js';
import type { Binary } from '../binary.js';
import type { SymbolDetail, SymbolFrame, SymbolSource } from './source.js';
import { SymbolNames } from './symbol-names.js';

export function openDwarfSource(binary: Binary): readonly SymbolSource[] {
  const { dwarf } = binary;
  return dwarf === undefined ? [] : [new DwarfSource(dwarf, new SymbolNames(binary))];
}

class DwarfSource implements SymbolSource {
  readonly name = 'dwarf';
  readonly gives: ReadonlySet<SymbolDetail> = new Set(['lines', 'columns', 'inlines', 'start_lines']);
  readonly #dwarf: Dwarf;
  readonly #names: SymbolNames;

  constructor(dwarf: Dwarf, names: SymbolNames) {
    this.#dwarf = dwarf;
    this.#names = names;
  }

  get faults(): readonly string[] {
    const { faults, faultyUnits, lacksAlternate } = this.#dwarf;
    const named = faults.map(({ unitOffset, unitName, error }) => {
      const unit = unitName === '' ? `at .debug_info+0x${unitOffset.toString(16)}` : `of ${unitName}`;
      return `debug information ${unit}: ${error.describe()}`;
    });
    const rest = faultyUnits - faults.length;
    if (rest > 0) named.push(`debug information of ${rest} more units is spoilt or missing`);
    if (lacksAlternate) named.push('debug information refers to a file with shared parts (dwz) that is not there');
    return named;
  }

  framesAt(objectAddress: number): readonly SymbolFrame[] | undefined {
    const symbol = this.#names.find(objectAddress);
    let frames: readonly SymbolFrame[] | undefined;
    try {
      frames = this.#dwarf.framesAt(objectAddress);
    } catch (error) {
      // Of a spoilt unit the lines may still be there.
      if (symbol === undefined || !(error instanceof FormatError)) throw error;
    }
    if (symbol === undefined) return frames;
    if (frames === undefined || frames.length === 0) return this.#symbolWithPlace(symbol, objectAddress);
    return withOutermost(frames, symbol);
  }

  /** Of assembly, and of what else DWARF has lines but no function of. */
  #symbolWithPlace(symbol: ObjectSymbol, objectAddress: number): SymbolFrame[] | undefined {
    const place = this.#dwarf.placeAt(objectAddress);
    return place && [{ function: symbol.name, systemName: symbol.name, ...place, startLine: 0 }];
  }
}

function withOutermost(frames: readonly SymbolFrame[], { name, type }: ObjectSymbol): readonly SymbolFrame[] {
  const outermost = frames.at(-1)!;
  if (outermost.systemName === name || type === 'indirect') return frames;
  return [...frames.slice(0, -1), { ...outermost, function: name, systemName: name }];
}
