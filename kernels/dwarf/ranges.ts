/** Ranges of object addresses, each of an owner: gathered, and put in order. */
import { beginOrder, endOrder, orderByNumber, rowAt } from '../order';
import { isDead, readAddress } from './addresses';
import { Block, reserve } from './block';
import { codeRangeCount, codeRanges } from './range-lists';

const lows = changetype<Block>(memory.data(offsetof<Block>(), 8));
const highs = changetype<Block>(memory.data(offsetof<Block>(), 8));
const owners = changetype<Block>(memory.data(offsetof<Block>(), 8));
const sorted = changetype<Block>(memory.data(offsetof<Block>(), 8));

export let rangeCount: u32 = 0;

/** Where the columns are: f64, f64 and u32 each. */
export function rangeLows(): usize {
  return lows.address;
}

export function rangeHighs(): usize {
  return highs.address;
}

export function rangeOwners(): usize {
  return owners.address;
}

/** Makes room for ranges that the host puts there, in place of those that are there. */
export function placeRanges(count: u32): void {
  rangeCount = 0;
  makeRoom(count);
  rangeCount = count;
}

/**
 * Adds the pairs of address and length of a set of `.debug_aranges`. Empty ranges, and those of discarded code, are left out.
 * @returns whether one of them is not discarded
 */
export function addTuples(at: usize, count: u32, addressBytes: u32, owner: u32): bool {
  let isLive = false;
  makeRoom(count);
  for (; count > 0; count--, at += 2 * addressBytes) {
    const low = readAddress(at, addressBytes);
    if (isDead(low)) continue;
    isLive = true;
    const length = at + addressBytes;
    const high = low + f64(load<u32>(length)) + (addressBytes === 8 ? f64(load<u32>(length, 4)) * 4294967296.0 : 0);
    if (low < high) addRange(low, high, owner);
  }
  return isLive;
}

/** Adds the ranges of a DIE. */
export function addCodeRanges(owner: u32): void {
  makeRoom(codeRangeCount);
  let at = codeRanges();
  for (let left = codeRangeCount; left > 0; left--) {
    addRange(load<f64>(at), load<f64>(at, sizeof<f64>()), owner);
    at += 2 * sizeof<f64>();
  }
}

/** Into room that was made. */
function addRange(low: f64, high: f64, owner: u32): void {
  store<f64>(lows.address + rangeCount * sizeof<f64>(), low);
  store<f64>(highs.address + rangeCount * sizeof<f64>(), high);
  store<u32>(owners.address + rangeCount * sizeof<u32>(), owner);
  rangeCount++;
}

/** By beginning; of one beginning the largest first, of equal ones the last that was added. */
export function sortRanges(): void {
  if (areSorted()) return;
  beginOrder(rangeCount);
  orderByNumber(highs.address, true);
  orderByNumber(lows.address, false);
  arrange<f64>(lows);
  arrange<f64>(highs);
  arrange<u32>(owners);
  endOrder();
}

function areSorted(): bool {
  for (let row: u32 = 1; row < rangeCount; row++) {
    const at = row * u32(sizeof<f64>());
    const low = load<f64>(lows.address + at);
    const before = load<f64>(lows.address + at - sizeof<f64>());
    if (before > low) return false;
    if (before === low && load<f64>(highs.address + at - sizeof<f64>()) <= load<f64>(highs.address + at)) return false;
  }
  return true;
}

function makeRoom(count: u32): void {
  const words = u64(rangeCount) + u64(count);
  reserve(lows, rangeCount * sizeof<f64>(), words * sizeof<f64>());
  reserve(highs, rangeCount * sizeof<f64>(), words * sizeof<f64>());
  reserve(owners, rangeCount * sizeof<u32>(), words * sizeof<u32>());
}

function arrange<Value>(column: Block): void {
  const bytes = rangeCount * u32(sizeof<Value>());
  reserve(sorted, 0, bytes);
  for (let at: u32 = 0; at < rangeCount; at++) {
    store<Value>(sorted.address + at * sizeof<Value>(), load<Value>(column.address + rowAt(at) * sizeof<Value>()));
  }
  memory.copy(column.address, sorted.address, bytes);
}
