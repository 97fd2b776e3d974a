/**
 * pc-value tables, decoded whole and kept, for questions about many places of few functions: a walk from a big function's entry for each of
 * them is most of what symbolizing would take. Source: go12symtab "PC-Value Table Encoding"; Go src/runtime/symtab.go pcvalue, step.
 */
import { SPOILT_PC_VALUES } from '../../core/formats/gopclntab/kernel-codes';
import { fail } from './imports';
import { heldEnd, pcTables, quantum } from './table';

/** Ranges that are kept at most, and places for tables; when there is no room for more, all are dropped and gathered anew. */
const MAX_RANGES: u32 = 1 << 20;
const MAX_SLOTS: u32 = 1 << 17;
const MIN_SLOTS: u32 = 1 << 6;
/** A range takes two bytes at least. */
const RANGE_BYTES: u32 = 2;
/** Tables of a function, about. */
const TABLES: u32 = 8;

/** End of a range, in bytes from the function's entry, and its value. */
class Range {
  end!: u32;
  value!: i32;
}

/** A table that is kept: its first range, and behind its last. */
class Slot {
  /** 0 in one that is free: no table has that offset. */
  offset!: u32;
  first!: u32;
  behind!: u32;
}

let ranges: usize = 0;
let room: u32 = 0;
let slots: usize = 0;
/** A power of two. */
let slotCount: u32 = 0;
let used: u32 = 0;
let tables: u32 = 0;

/** Whether the last question had an answer. */
export let isFound = false;

/** @param bytes of the table @returns of what is kept of it, at most */
export function sizeCache(bytes: u32, functionCount: u32): u32 {
  room = min(bytes / RANGE_BYTES, MAX_RANGES);
  slotCount = MIN_SLOTS;
  while (slotCount < MAX_SLOTS && slotCount / TABLES < functionCount) slotCount *= 2;
  return room * u32(offsetof<Range>()) + slotCount * u32(offsetof<Slot>());
}

/** @param address of so many bytes, which are 0 */
export function placeCache(address: usize): void {
  ranges = address;
  slots = ranges + room * u32(offsetof<Range>());
}

/** Bytes of what is kept. */
export function cachedBytes(): u32 {
  return used * u32(offsetof<Range>()) + slotCount * u32(offsetof<Slot>());
}

/**
 * The value for a place of a function; `isFound` is false behind the table's end.
 * @param offset of the table, 0 for none @param codeBytes of the function @param at bytes from its entry
 */
export function valueAt(offset: u32, codeBytes: u32, at: f64): i32 {
  isFound = false;
  if (offset === 0) return 0;
  const kept = slot(offset);
  if (kept.offset === 0) return decode(offset, codeBytes, at, kept);
  let low = kept.first;
  let high = kept.behind;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (f64(range(middle).end) <= at) low = middle + 1;
    else high = middle;
  }
  isFound = low < kept.behind;
  return isFound ? range(low).value : 0;
}

/** Goes through all of a table, and keeps it if there is room. Throws when anything in it is spoilt. */
function decode(offset: u32, codeBytes: u32, at: f64, free: Slot): i32 {
  if (u64(pcTables) + u64(offset) >= u64(heldEnd)) fail(SPOILT_PC_VALUES, offset, codeBytes);
  let into = used;
  let position = pcTables + offset;
  let value = -1;
  let end: u64 = 0;
  let found = 0;
  // Rows of no length are not without end.
  let rowsLeft = 2 * u64(codeBytes) + 17;
  let isHere = false;
  for (; ; rowsLeft--) {
    let delta = byteAt(position);
    let length = byteAt(position + 1);
    if ((delta | length) < 128) {
      if (delta === 0 && end !== 0) break;
      position += 2;
    } else {
      delta = varintAt(position);
      if (delta === 0 && end !== 0) {
        position = behindVarint - 1;
        break;
      }
      length = varintAt(behindVarint);
      position = behindVarint;
    }
    value += i32(delta >>> 1) ^ -i32(delta & 1);
    end += u64(length) * quantum;
    if (position > heldEnd || end > u64(codeBytes) || rowsLeft === 0) fail(SPOILT_PC_VALUES, offset, codeBytes);
    if (!isHere && f64(end) > at) {
      isHere = true;
      found = value;
    }
    if (into < room) {
      range(into).end = u32(end);
      range(into).value = value;
    }
    into++;
  }
  if (position >= heldEnd) fail(SPOILT_PC_VALUES, offset, codeBytes);
  isFound = isHere;
  if (into > room || tables === (slotCount / 4) * 3) {
    clear();
  } else {
    free.offset = offset;
    free.first = used;
    free.behind = into;
    used = into;
    tables++;
  }
  return found;
}

/** Behind what `varintAt` has read; behind the end for what is too long. */
let behindVarint: usize = 0;

function varintAt(position: usize): u32 {
  let value: u32 = 0;
  for (let shift = 0; shift < 35; shift += 7) {
    const byte = byteAt(position++);
    value |= (byte & 127) << shift;
    if (byte < 128) {
      behindVarint = position;
      return value;
    }
  }
  behindVarint = heldEnd + 1;
  return value;
}

/** 0 behind the end. */
function byteAt(position: usize): u32 {
  return position < heldEnd ? u32(load<u8>(position)) : 0;
}

function clear(): void {
  used = tables = 0;
  memory.fill(slots, 0, slotCount * u32(offsetof<Slot>()));
}

/** That of a table, or the free one where it would be. */
function slot(offset: u32): Slot {
  let index = offset * 0x9e3779b1;
  let found = slotAt(index);
  while (found.offset !== 0 && found.offset !== offset) found = slotAt(++index);
  return found;
}

function slotAt(index: u32): Slot {
  return changetype<Slot>(slots + (index & (slotCount - 1)) * u32(offsetof<Slot>()));
}

function range(index: u32): Range {
  return changetype<Range>(ranges + index * u32(offsetof<Range>()));
}
