/**
 * Sets of one label that a profile has had before, found by the label's own columns: heap profiles have a set of one label with each
 * sample, and few that differ. Forgotten with each profile.
 */
import { hashOf, mix, pair } from './hash';
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
  const strings = pair(load<i32>(from.labelKey + at), load<i32>(from.labelStr + at));
  const state = mix(mix(load<u32>(from.labelNumUnit + at), strings), load<u64>(from.labelNum + 2 * at));
  return entries + 8 * (u32(hashOf(state)) & (COUNT - 1));
}

function isSame(from: ProfileColumns, a: u32, b: u32): boolean {
  if (load<i64>(from.labelNum + 8 * a) !== load<i64>(from.labelNum + 8 * b)) return false;
  if (load<i32>(from.labelKey + 4 * a) !== load<i32>(from.labelKey + 4 * b)) return false;
  if (load<i32>(from.labelStr + 4 * a) !== load<i32>(from.labelStr + 4 * b)) return false;
  return load<i32>(from.labelNumUnit + 4 * a) === load<i32>(from.labelNumUnit + 4 * b);
}
