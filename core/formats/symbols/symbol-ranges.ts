/**
 * Symbols as disjoint ranges. Where symbols overlap, the one that begins last wins (a function within a range that spans several), then
 * the shorter one. A symbol without a size goes to the next symbol, at most to the end of its section, and only where no symbol with a size
 * is: a label within a function does not end the function.
 */
import { orderByNumber, orderWithinRuns } from '../order.js';

/** Added to the rank of a symbol whose size is not known; its `end` is then that of its section. */
export const UNSIZED = 16;

const NO_SYMBOL = -1;

/** Symbols by columns, in any order. */
export interface CodeSymbols {
  /** Object addresses. */
  readonly start: Float64Array;
  readonly end: Float64Array;
  /** Of aliases the lowest wins. */
  readonly rank: Uint8Array;
  /** The reader's own numbers. */
  readonly row: Uint32Array;
}

/** Disjoint ranges, each of one symbol or of none. */
export class SymbolRanges {
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

/** The ranges of all symbols. */
export function cutSymbols(columns: CodeSymbols): SymbolRanges {
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

  finish(): SymbolRanges {
    return new SymbolRanges(this.#starts.slice(0, this.#length), this.#rows.slice(0, this.#length));
  }

  #write(start: number, row: number): void {
    if (this.#length > 0 && this.#starts[this.#length - 1] === start) this.#length--;
    this.#starts[this.#length] = start;
    this.#rows[this.#length] = row;
    this.#length++;
  }
}

/** Symbols by start; of one start: those with a size before those without, larger before smaller, then by rank, the last row first. */
function sortedOrder({ start, end, rank, row }: CodeSymbols): Uint32Array {
  const order = orderByNumber(start);
  orderWithinRuns(order, start, (a, b) => {
    const bySize = Number(rank[a]! >= UNSIZED) - Number(rank[b]! >= UNSIZED);
    return bySize || end[b]! - end[a]! || rank[a]! - rank[b]! || row[b]! - row[a]!;
  });
  return order;
}
