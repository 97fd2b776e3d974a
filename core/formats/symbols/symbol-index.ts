/**
 * Symbols of code by address, for all object formats: columns that a reader fills in any order, and an index over them.
 *
 * The index is a list of disjoint ranges (see `symbol-ranges.ts`), so that a find is one binary search; it is made when more than a few
 * addresses are asked for. Symbols of one range are aliases: functions come before untyped ones, global and weak ones before local ones, and
 * then the last of the file is taken, as LLVM's tools and the Rust addr2line crate take it: what was declared first is what the others were
 * made of.
 */
import type { ObjectSymbol } from './symbol.js';
import { type CodeSymbols, cutSymbols, SymbolRanges, UNSIZED } from './symbol-ranges.js';

const BINDING_RANK = { global: 0, weak: 0, local: 1 } as const;
const UNTYPED_RANK = 2;

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
   * @param row the reader's own number of the symbol: what `SymbolIndex.find` gives back
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
    this.#rank[at] = BINDING_RANK[binding] + (type === 'untyped' ? UNTYPED_RANK : 0) + (size === 0 ? UNSIZED : 0);
    this.#row[at] = row;
  }

  index(): SymbolIndex {
    return new SymbolIndex({
      start: this.#start.subarray(0, this.#length),
      end: this.#end.subarray(0, this.#length),
      rank: this.#rank.subarray(0, this.#length),
      row: this.#row.subarray(0, this.#length),
    });
  }
}

/** Questions that are answered by going through all symbols: putting these in order takes as long as some dozens of them. */
const FEW_QUESTIONS = 8;
/** Of a symbol, in `CodeSymbols`. */
const SYMBOL_BYTES = 21;

export class SymbolIndex {
  #symbols: CodeSymbols | SymbolRanges;
  #questions = 0;

  constructor(symbols: CodeSymbols) {
    this.#symbols = symbols;
  }

  /** Distinct ranges of symbols. */
  get length(): number {
    return this.#ranges().length;
  }

  get heldBytes(): number {
    const symbols = this.#symbols;
    return symbols instanceof SymbolRanges ? symbols.heldBytes : symbols.start.length * SYMBOL_BYTES;
  }

  /** The reader's row of the symbol that an address lies in; undefined outside of every symbol. */
  find(objectAddress: number): number | undefined {
    const symbols = this.#symbols;
    if (symbols instanceof SymbolRanges) return symbols.find(objectAddress);
    return this.#questions++ < FEW_QUESTIONS ? findOne(symbols, objectAddress) : this.#ranges().find(objectAddress);
  }

  #ranges(): SymbolRanges {
    if (!(this.#symbols instanceof SymbolRanges)) this.#symbols = cutSymbols(this.#symbols);
    return this.#symbols;
  }
}

/** As the ranges of all symbols answer, by those of the few that matter. */
function findOne(symbols: CodeSymbols, objectAddress: number): number | undefined {
  const found = cutSymbols(symbolsAt(symbols, objectAddress)).find(objectAddress);
  if (found !== undefined) return found;
  // A symbol without a size goes on to here if it is the last before, and begins outside of every other one.
  const { start } = symbols;
  let before = -1;
  for (let at = 0; at < start.length; at++) {
    const from = start[at]!;
    if (from <= objectAddress && from > before) before = from;
  }
  return cutSymbols(symbolsAt(symbols, before)).find(objectAddress);
}

/** Symbols that an address lies in, of those without a size the ones that begin there. */
function symbolsAt({ start, end, rank, row }: CodeSymbols, objectAddress: number): CodeSymbols {
  const found: number[] = [];
  for (let at = 0; at < start.length; at++) {
    const from = start[at]!;
    if (from > objectAddress || (from < objectAddress && (end[at]! <= objectAddress || rank[at]! >= UNSIZED))) continue;
    found.push(at);
  }
  return {
    start: Float64Array.from(found, (at) => start[at]!),
    end: Float64Array.from(found, (at) => end[at]!),
    rank: Uint8Array.from(found, (at) => rank[at]!),
    row: Uint32Array.from(found, (at) => row[at]!),
  };
}
