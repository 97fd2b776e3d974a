/**
 * Symbols of code by address, for all object formats: columns that a reader fills in any order, and an index over them.
 *
 * The index is a list of disjoint ranges, so that a find is one binary search. Where symbols overlap, the one that begins last
 * wins (a function within a range that spans several), then the shorter one. Symbols of one range are aliases: functions come
 * before untyped ones, global and weak ones before local ones, and then the last of the file is taken, as LLVM's tools and the Rust
 * addr2line crate take it: what was declared first is what the others were made of.
 *
 * A symbol without a size goes to the next symbol, at most to the end of its section, and only where no symbol with a size is:
 * a label within a function does not end the function.
 */
import { orderByNumber, orderWithinRuns } from '../order.js';
import type { ObjectSymbol } from './symbol.js';

const BINDING_RANK = { global: 0, weak: 0, local: 1 } as const;
const UNTYPED_RANK = 2;
/** Of a symbol whose size is not known; its column `end` holds the end of its section. */
const UNSIZED = 16;

const NO_SYMBOL = -1;

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
    return indexSymbols({
      start: this.#start.subarray(0, this.#length),
      end: this.#end.subarray(0, this.#length),
      rank: this.#rank.subarray(0, this.#length),
      row: this.#row.subarray(0, this.#length),
    });
  }
}

export class SymbolIndex {
  /** Where ranges begin, ascending; each ends where the next begins, the last one is nobody's. */
  readonly #starts: Float64Array;
  /** Row of the symbol that a range belongs to, or NO_SYMBOL. */
  readonly #rows: Int32Array;
  /** Distinct ranges of symbols. */
  readonly length: number;

  constructor(starts: Float64Array, rows: Int32Array) {
    this.#starts = starts;
    this.#rows = rows;
    let length = 0;
    for (const row of rows) if (row !== NO_SYMBOL) length++;
    this.length = length;
  }

  get heldBytes(): number {
    return this.#starts.byteLength + this.#rows.byteLength;
  }

  /** The reader's row of the symbol that an address lies in; undefined outside of every symbol. */
  find(objectAddress: number): number | undefined {
    const starts = this.#starts;
    let low = 0;
    let high = starts.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (starts[middle]! <= objectAddress) low = middle + 1;
      else high = middle;
    }
    const row = low === 0 ? NO_SYMBOL : this.#rows[low - 1]!;
    return row === NO_SYMBOL ? undefined : row;
  }
}

interface Columns {
  readonly start: Float64Array;
  readonly end: Float64Array;
  readonly rank: Uint8Array;
  readonly row: Uint32Array;
}

function indexSymbols(columns: Columns): SymbolIndex {
  const { start, end, rank, row } = columns;
  const order = sortedOrder(columns);
  const ranges = new RangeWriter(2 * order.length);
  for (let at = 0; at < order.length; at++) {
    const symbol = order[at]!;
    const from = start[symbol]!;
    ranges.closeUntil(from);
    if (rank[symbol]! < UNSIZED) {
      const previous = order[at - 1];
      const isAlias = previous !== undefined && start[previous] === from && end[previous] === end[symbol];
      if (!isAlias) ranges.open(from, end[symbol]!, row[symbol]!);
    } else if (!ranges.isOpen) {
      let next = at + 1;
      while (next < order.length && start[order[next]!] === from) next++;
      const limit = next < order.length ? start[order[next]!]! : Number.POSITIVE_INFINITY;
      ranges.open(from, Math.min(end[symbol]!, limit), row[symbol]!);
    }
  }
  ranges.closeUntil(Number.POSITIVE_INFINITY);
  return ranges.finish();
}

/** Cuts nested and overlapping ranges, opened in the order of their starts, into disjoint ones. */
class RangeWriter {
  readonly #starts: Float64Array;
  readonly #rows: Int32Array;
  #length = 0;
  /** Ranges that are open: the last one is what an address belongs to. */
  readonly #openEnds: number[] = [];
  readonly #openRows: number[] = [];

  constructor(capacity: number) {
    this.#starts = new Float64Array(capacity);
    this.#rows = new Int32Array(capacity);
  }

  get isOpen(): boolean {
    return this.#openEnds.length > 0;
  }

  open(start: number, end: number, row: number): void {
    this.#openEnds.push(end);
    this.#openRows.push(row);
    this.#write(start, row);
  }

  closeUntil(address: number): void {
    for (;;) {
      const end = this.#openEnds.at(-1);
      if (end === undefined || end > address) return;
      while (this.isOpen && this.#openEnds.at(-1)! <= end) {
        this.#openEnds.pop();
        this.#openRows.pop();
      }
      this.#write(end, this.#openRows.at(-1) ?? NO_SYMBOL);
    }
  }

  finish(): SymbolIndex {
    return new SymbolIndex(this.#starts.slice(0, this.#length), this.#rows.slice(0, this.#length));
  }

  #write(start: number, row: number): void {
    if (this.#length > 0 && this.#starts[this.#length - 1] === start) this.#length--;
    this.#starts[this.#length] = start;
    this.#rows[this.#length] = row;
    this.#length++;
  }
}

/** Symbols by start; of one start: those with a size before those without, larger before smaller, then by rank, the last row first. */
function sortedOrder({ start, end, rank, row }: Columns): Uint32Array {
  const order = orderByNumber(start);
  orderWithinRuns(order, start, (a, b) => {
    const bySize = Number(rank[a]! >= UNSIZED) - Number(rank[b]! >= UNSIZED);
    return bySize || end[b]! - end[a]! || rank[a]! - rank[b]! || row[b]! - row[a]!;
  });
  return order;
}
