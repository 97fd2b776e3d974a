/** Symbols of code, by columns. */
import { DROPPED, UNSIZED } from '../../core/formats/symbols/kernel-codes';
import { allocate } from '../memory';

export let count: u32 = 0;
/** Object addresses. */
export let starts: usize = 0;
export let ends: usize = 0;
/** u8 each: sum of the ranks of kernel-codes.ts. Of aliases the lowest wins. */
export let ranks: usize = 0;
/** u32 each, ascending: the host's own numbers. */
export let rows: usize = 0;

/** Makes room. @param capacity how often `addSymbol` will be called at most */
export function placeColumns(capacity: u32): void {
  starts = allocate(capacity * sizeof<f64>());
  ends = allocate(capacity * sizeof<f64>());
  ranks = allocate(capacity);
  rows = allocate(capacity * sizeof<u32>());
  count = 0;
}

/**
 * One that begins outside of its section is left out.
 * @param row larger than those before @param rank of its binding and type @param sectionEnd a symbol does not go beyond it
 */
export function addSymbol(row: u32, start: f64, size: f64, rank: u32, sectionEnd: f64): bool {
  if (!(start >= 0 && start < sectionEnd)) return false;
  store<f64>(starts + count * sizeof<f64>(), start);
  store<f64>(ends + count * sizeof<f64>(), size === 0 ? sectionEnd : min(start + size, sectionEnd));
  store<u8>(ranks + count, u8(rank + (size === 0 ? UNSIZED : 0)));
  store<u32>(rows + count * sizeof<u32>(), row);
  count++;
  return true;
}

/** Takes out the symbols whose rank the host has set to DROPPED. */
export function compact(): void {
  let kept: u32 = 0;
  for (let at: u32 = 0; at < count; at++) {
    const rank = load<u8>(ranks + at);
    if (rank === DROPPED) continue;
    store<f64>(starts + kept * sizeof<f64>(), load<f64>(starts + at * sizeof<f64>()));
    store<f64>(ends + kept * sizeof<f64>(), load<f64>(ends + at * sizeof<f64>()));
    store<u8>(ranks + kept, rank);
    store<u32>(rows + kept * sizeof<u32>(), load<u32>(rows + at * sizeof<u32>()));
    kept++;
  }
  count = kept;
}
