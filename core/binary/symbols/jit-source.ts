/** Names and lines of code that a program made while it ran, from its jitdump. */
import { FormatError } from '../../formats/errors.js';
import { findJitLine } from '../../formats/jitdump/jit-lines.js';
import type { Binary, JitTable } from '../binary.js';
import type { SymbolDetail, SymbolFrame, SymbolSource } from './source.js';

export function openJitSource({ jit }: Binary): readonly SymbolSource[] {
  return jit === undefined ? [] : [new JitSource(jit)];
}

/** Faults that are kept for a person. */
const MAX_FAULTS = 8;

class JitSource implements SymbolSource {
  readonly name = 'jitdump';
  readonly faults: string[] = [];
  readonly #table: JitTable;

  constructor(table: JitTable) {
    this.#table = table;
  }

  get gives(): ReadonlySet<SymbolDetail> {
    return new Set(this.#table.hasLines ? ['lines'] : []);
  }

  framesAt(objectAddress: number): readonly SymbolFrame[] | undefined {
    const code = this.#table.find(objectAddress);
    if (code === undefined) return undefined;
    const { name, fileOffset } = code;
    const place = this.#guarded(() => findJitLine(this.#table.linesOf(code), objectAddress - fileOffset));
    return [
      { function: name, systemName: name, file: place?.file ?? '', line: place?.line ?? 0, column: 0, startLine: 0 },
    ];
  }

  /** A function whose lines are spoilt has its name still. */
  #guarded<Value>(work: () => Value): Value | undefined {
    try {
      return work();
    } catch (error) {
      if (!(error instanceof FormatError)) throw error;
      const fault = error.describe();
      if (this.faults.length < MAX_FAULTS && !this.faults.includes(fault)) this.faults.push(fault);
      return undefined;
    }
  }
}
