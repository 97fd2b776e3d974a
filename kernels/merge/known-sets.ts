/**
 * Sets of one label that a profile has had before, found by the label's own columns: heap profiles have a set of one label with each
 * sample, and few that differ. Forgotten with each profile.
 */
import { finishHash, K1, K2, K3, K4, K5 } from './hash';
import { ProfileColumns } from './profile';

const COUNT: u32 = 256;

/** Two words an entry: the label's row + 1 (0 is free), and the set's row in the merge. The last one that came to an entry has it. */
const entries: usize = memory.data(256 * 8, 8);

export function forgetSets(): void {
  memory.fill(entries, 0, COUNT * 8);
}

/** @param row of the set's only label @returns row of the set; −1: not known */
export function knownSet(from: ProfileColumns, row: u32): i32 {
  const entry = entryOf(from, row);
  const known = load<u32>(entry) - 1;
  return load<u32>(entry) !== 0 && isSame(from, known, row) ? load<i32>(entry, 4) : -1;
}

/** @param row of the set's only label @param set its row */
export function rememberSet(from: ProfileColumns, row: u32, set: i32): void {
  const entry = entryOf(from, row);
  store<u32>(entry, row + 1);
  store<i32>(entry, set, 4);
}

function entryOf(from: ProfileColumns, row: u32): usize {
  const at = 4 * row;
  const num = load<i64>(from.labelNum + 2 * at);
  const strings = load<i32>(from.labelKey + at) * K1 + load<i32>(from.labelStr + at) * K2;
  const hash = finishHash(strings + load<i32>(from.labelNumUnit + at) * K3 + i32(num) * K4 + i32(num >>> 32) * K5);
  return entries + 8 * (u32(hash) & (COUNT - 1));
}

function isSame(from: ProfileColumns, a: u32, b: u32): boolean {
  if (load<i64>(from.labelNum + 8 * a) !== load<i64>(from.labelNum + 8 * b)) return false;
  if (load<i32>(from.labelKey + 4 * a) !== load<i32>(from.labelKey + 4 * b)) return false;
  if (load<i32>(from.labelStr + 4 * a) !== load<i32>(from.labelStr + 4 * b)) return false;
  return load<i32>(from.labelNumUnit + 4 * a) === load<i32>(from.labelNumUnit + 4 * b);
}
