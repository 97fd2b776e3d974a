/** The symbol of one address by looking at all of them, which for a few addresses takes less than making ranges. */
import { DROPPED, NO_SYMBOL, UNSIZED } from '../../core/formats/symbols/kernel-codes';
import { count, ends, ranks, rows, starts } from './columns';

/** Row of the symbol that `makeRanges`, if it is called later, gives an address to; NO_SYMBOL for none. */
export function scan(address: f64): u32 {
  const last = lastStart(address);
  // A symbol without a size is nothing within one that has a size.
  let isWithinSized = false;
  let best: u32 = NO_SYMBOL;
  for (let at: u32 = 0; at < count; at++) {
    if (rank(at) === DROPPED || start(at) > last) continue;
    if (isUnsized(at)) {
      if (start(at) !== last) continue;
    } else if (end(at) > last) {
      isWithinSized = true;
    }
    if (end(at) > address && (best === NO_SYMBOL || isBetter(at, best))) best = at;
  }
  if (best === NO_SYMBOL || (isUnsized(best) && isWithinSized)) return NO_SYMBOL;
  return load<u32>(rows + best * sizeof<u32>());
}

/** Where the last symbol begins that does so at an address or before it; negative for none. */
function lastStart(address: f64): f64 {
  let last: f64 = -1;
  for (let at: u32 = 0; at < count; at++) {
    const value = start(at);
    if (value <= address && value > last && rank(at) !== DROPPED) last = value;
  }
  return last;
}

/** Whether the address is rather the symbol's than that of one before it in the columns, by the order of ranges.ts. */
function isBetter(symbol: u32, other: u32): bool {
  const unsized = isUnsized(symbol);
  if (unsized !== isUnsized(other)) return !unsized;
  if (start(symbol) !== start(other)) return start(symbol) > start(other);
  if (end(symbol) > end(other)) return unsized;
  if (end(symbol) < end(other)) return !unsized;
  return rank(symbol) <= rank(other);
}

function start(symbol: u32): f64 {
  return load<f64>(starts + symbol * sizeof<f64>());
}

function end(symbol: u32): f64 {
  return load<f64>(ends + symbol * sizeof<f64>());
}

function rank(symbol: u32): u32 {
  return load<u8>(ranks + symbol);
}

function isUnsized(symbol: u32): bool {
  return (rank(symbol) & UNSIZED) !== 0;
}
