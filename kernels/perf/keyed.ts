/** Rows by a key: a word and a number. Open addressing. */
import { NO_ROW } from '../../plugins/codecs/perf/kernel-codes';
import { allocate, release } from '../memory';

@unmanaged
class Entry {
  word: u64;
  number: u32;
  /** One more than the row; 0: free. */
  place: u32;
}

@unmanaged
export class Keyed {
  slots: usize;
  slotCount: u32;
  used: u32;
}

export const KEYED_BYTES: i32 = 12;
const ENTRY_BYTES: u32 = 16;
const FIRST_SLOTS: u32 = 256;

/** @returns NO_ROW where there is none */
export function findKeyed(keyed: Keyed, word: u64, number: u32): u32 {
  if (keyed.used === 0) return NO_ROW;
  return slotOf(keyed, word, number).place - 1;
}

/** @param row of a key that has none */
export function addKeyed(keyed: Keyed, word: u64, number: u32, row: u32): void {
  if ((keyed.used + 1) << 1 > keyed.slotCount) enlarge(keyed);
  const entry = slotOf(keyed, word, number);
  entry.word = word;
  entry.number = number;
  entry.place = row + 1;
  keyed.used++;
}

export function forgetKeyed(keyed: Keyed): void {
  if (keyed.used > 0) memory.fill(keyed.slots, 0, keyed.slotCount * ENTRY_BYTES);
  keyed.used = 0;
}

/** That of a key, or the free one where it goes. */
function slotOf(keyed: Keyed, word: u64, number: u32): Entry {
  const mask = keyed.slotCount - 1;
  let slot = u32(((word ^ (u64(number) * 0x9e3779b1)) * 0x9e3779b97f4a7c15) >> 32) & mask;
  let entry = changetype<Entry>(keyed.slots + slot * ENTRY_BYTES);
  while (entry.place !== 0 && (entry.word !== word || entry.number !== number)) {
    slot = (slot + 1) & mask;
    entry = changetype<Entry>(keyed.slots + slot * ENTRY_BYTES);
  }
  return entry;
}

function enlarge(keyed: Keyed): void {
  const slots = keyed.slots;
  const slotCount = keyed.slotCount;
  keyed.slotCount = slotCount === 0 ? FIRST_SLOTS : 2 * slotCount;
  keyed.slots = allocate(keyed.slotCount * ENTRY_BYTES);
  memory.fill(keyed.slots, 0, keyed.slotCount * ENTRY_BYTES);
  if (slotCount === 0) return;
  for (let slot: u32 = 0; slot < slotCount; slot++) {
    const old = changetype<Entry>(slots + slot * ENTRY_BYTES);
    if (old.place === 0) continue;
    const entry = slotOf(keyed, old.word, old.number);
    entry.word = old.word;
    entry.number = old.number;
    entry.place = old.place;
  }
  release(slots, slotCount * ENTRY_BYTES);
}
