/**
 * Symbols as disjoint ranges. Where symbols overlap, the one that begins last wins (a function within a range that spans several), then
 * the shorter one. A symbol without a size goes to the next symbol, at most to the end of its section, and only where no symbol with a size
 * is: a label within a function does not end the function.
 */
import { NO_SYMBOL, UNSIZED } from '../../core/formats/symbols/kernel-codes';
import { allocate } from '../memory';
import { beginOrder, orderByBits, orderByNumber, rowAt } from '../order';
import { compact, count, ends, ranks, rows, starts } from './columns';

const RANK_BITS: u32 = UNSIZED - 1;

export let rangeCount: u32 = 0;
/** f64 each, ascending: where ranges begin. Each ends where the next begins, the last one is nobody's. */
export let rangeStarts: usize = 0;
/** u32 each: row of the symbol that a range belongs to, or NO_SYMBOL. */
export let rangeRows: usize = 0;
/** Ranges that belong to a symbol. */
export let namedCount: u32 = 0;

/** Ranges that are open, as a stack: their ends (f64) and rows (u32). The last one is what an address belongs to. */
let openEnds: usize = 0;
let openRows: usize = 0;
let openCount: u32 = 0;

/** Makes the ranges of the symbols in the columns. */
export function makeRanges(): void {
  rangeCount = namedCount = openCount = 0;
  compact();
  if (count === 0) return;
  rangeStarts = allocate(2 * count * sizeof<f64>());
  rangeRows = allocate(2 * count * sizeof<u32>());
  openEnds = allocate(count * sizeof<f64>());
  openRows = allocate(count * sizeof<u32>());
  order();
  for (let at: u32 = 0; at < count; at++) {
    const symbol = rowAt(at);
    const start = number(starts, symbol);
    closeUntil(start);
    if (!isUnsized(symbol)) {
      if (at === 0 || !isAlias(symbol, rowAt(at - 1))) open(start, number(ends, symbol), symbol);
    } else if (openCount === 0) {
      open(start, min(number(ends, symbol), nextStart(at, start)), symbol);
    }
  }
  closeUntil(Infinity);
  for (let range: u32 = 0; range < rangeCount; range++) {
    if (load<u32>(rangeRows + range * sizeof<u32>()) !== NO_SYMBOL) namedCount++;
  }
}

/** By start; of one start: those with a size before those without, larger before smaller, then by rank, the last row first. */
function order(): void {
  beginOrder(count);
  orderByBits(ranks, RANK_BITS);
  orderByNumber(ends, true);
  orderByBits(ranks, UNSIZED);
  orderByNumber(starts, false);
}

function number(column: usize, row: u32): f64 {
  return load<f64>(column + row * sizeof<f64>());
}

function isUnsized(symbol: u32): bool {
  return (load<u8>(ranks + symbol) & UNSIZED) !== 0;
}

function isAlias(symbol: u32, previous: u32): bool {
  return number(starts, symbol) === number(starts, previous) && number(ends, symbol) === number(ends, previous);
}

/** Where the first symbol behind a start begins; infinite when there is none. */
function nextStart(at: u32, start: f64): f64 {
  while (++at < count) {
    const next = number(starts, rowAt(at));
    if (next !== start) return next;
  }
  return Infinity;
}

function open(start: f64, end: f64, symbol: u32): void {
  const row = load<u32>(rows + symbol * sizeof<u32>());
  store<f64>(openEnds + openCount * sizeof<f64>(), end);
  store<u32>(openRows + openCount * sizeof<u32>(), row);
  openCount++;
  addRange(start, row);
}

/** Closes what ends at an address or before it. */
function closeUntil(address: f64): void {
  while (openCount > 0) {
    const end = number(openEnds, openCount - 1);
    if (end > address) return;
    while (openCount > 0 && number(openEnds, openCount - 1) <= end) openCount--;
    addRange(end, openCount === 0 ? NO_SYMBOL : load<u32>(openRows + (openCount - 1) * sizeof<u32>()));
  }
}

/** In place of the last one, if that begins there too. */
function addRange(start: f64, row: u32): void {
  if (rangeCount > 0 && number(rangeStarts, rangeCount - 1) === start) rangeCount--;
  store<f64>(rangeStarts + rangeCount * sizeof<f64>(), start);
  store<u32>(rangeRows + rangeCount * sizeof<u32>(), row);
  rangeCount++;
}
