/**
 * Range lists of DIEs whose code lies in several places: `.debug_rnglists` (DWARF 5, 7.25 and 7.28) and `.debug_ranges` (DWARF 2 to 4, 7.23).
 * Lists that refer to `.debug_addr`, and spoilt ones, are for the host.
 */
import { isDead, isZero, readAddress } from './addresses';
import { Block, reserve } from './block';
import { next, readUnsigned } from './leb128';
import { RNGLISTX } from './numbers';

// Kinds of entries.
const END_OF_LIST = 0;
const OFFSET_PAIR = 4;
const BASE_ADDRESS = 5;
const START_END = 6;
const START_LENGTH = 7;

/** Of one list. */
const MAX_RANGES: u32 = 1 << 20;
/** Beyond which a number is not exact. */
const MAX_EXACT: u64 = 1 << 53;

const ranges = changetype<Block>(memory.data(offsetof<Block>(), 8));
export let codeRangeCount: u32 = 0;

/** The section, with zeros behind it; 0 where lists are for the host. */
let section: usize = 0;
let sectionEnd: usize = 0;
let version: u32 = 0;
let addressBytes: u32 = 0;
let offsetBytes: u32 = 0;
/** Into the section: what indexes of lists count from, and their offsets. */
let listsBase: f64 = 0;
/** Object address of the unit. */
let unitBase: f64 = 0;

/** Where the ranges are: f64 each, beginnings and ends in turn. */
export function codeRanges(): usize {
  return ranges.address;
}

/** Lists from now on are those of a unit. */
export function useRangeLists(
  newSection: usize,
  bytes: u32,
  newVersion: u32,
  newAddressBytes: u32,
  newOffsetBytes: u32,
  newListsBase: f64,
  newUnitBase: f64,
): void {
  section = newSection;
  sectionEnd = section + bytes;
  version = newVersion;
  addressBytes = newAddressBytes;
  offsetBytes = newOffsetBytes;
  listsBase = newListsBase;
  unitBase = newUnitBase;
}

/** Empty and inverted ranges are left out. */
export function addRange(low: f64, high: f64): void {
  if (!(low < high)) return;
  const bytes = codeRangeCount * 2 * u32(sizeof<f64>());
  reserve(ranges, bytes, u64(bytes) + 2 * sizeof<f64>());
  const at = ranges.address + bytes;
  store<f64>(at, low);
  store<f64>(at, high, sizeof<f64>());
  codeRangeCount++;
}

export function dropRanges(): void {
  codeRangeCount = 0;
}

/** Adds the ranges of a list. @param form of the field @returns false, and none is added, where that is for the host */
export function addRangeList(form: u32, value: f64): bool {
  const before = codeRangeCount;
  const at = section === 0 ? 0 : listAt(form, value);
  if (at !== 0 && (version >= 5 ? addEntries(at, before) : addOldEntries(at, before))) return true;
  codeRangeCount = before;
  return false;
}

/** 0 for one that does not lie in the section. */
function listAt(form: u32, value: f64): usize {
  let offset = value;
  if (version >= 5 && form === RNGLISTX) {
    const entry = listsBase + value * f64(offsetBytes);
    if (!(entry >= 0 && entry + f64(offsetBytes) <= f64(sectionEnd - section))) return 0;
    const at = section + usize(entry);
    offset = listsBase + (offsetBytes === 4 ? f64(load<u32>(at)) : f64(load<u64>(at)));
  }
  return offset >= 0 && offset < f64(sectionEnd - section) ? section + usize(offset) : 0;
}

function addEntries(at: usize, before: u32): bool {
  let base = unitBase;
  while (at < sectionEnd && codeRangeCount - before < MAX_RANGES) {
    const kind = u32(load<u8>(at++));
    let low: f64;
    let high: f64;
    switch (kind) {
      case END_OF_LIST:
        return true;
      case BASE_ADDRESS:
        base = readAddress(at, addressBytes);
        if (isDead(base)) base = NaN;
        at += addressBytes;
        continue;
      case OFFSET_PAIR: {
        const first = readUnsigned(at);
        const behind = readUnsigned(next);
        if (max(first, behind) > MAX_EXACT) return false;
        low = base + f64(first);
        high = base + f64(behind);
        at = next;
        break;
      }
      case START_END:
        low = readAddress(at, addressBytes);
        high = readAddress(at + addressBytes, addressBytes);
        at += 2 * addressBytes;
        break;
      case START_LENGTH: {
        low = readAddress(at, addressBytes);
        const length = readUnsigned(at + addressBytes);
        if (length > MAX_EXACT) return false;
        high = low + f64(length);
        at = next;
        break;
      }
      default:
        return false;
    }
    if (at > sectionEnd) return false;
    if (!isDead(low)) addRange(low, high);
  }
  return false;
}

function addOldEntries(at: usize, before: u32): bool {
  let base = unitBase;
  // What counts from absolute 0 may be exact as an object address only.
  let isAbsolute = isZero(base);
  const highest: u64 = addressBytes === 8 ? u64.MAX_VALUE : u32.MAX_VALUE;
  while (at + 2 * addressBytes <= sectionEnd && codeRangeCount - before < MAX_RANGES) {
    const low = word(at);
    const high = word(at + addressBytes);
    if ((low | high) === 0) return true;
    if (low === highest) {
      base = readAddress(at + addressBytes, addressBytes);
      isAbsolute = isZero(base);
    } else if (isAbsolute) {
      const start = readAddress(at, addressBytes);
      if (!isDead(start)) addRange(start, readAddress(at + addressBytes, addressBytes));
    } else if (!isDead(base + f64(low))) {
      addRange(base + f64(low), base + f64(high));
    }
    at += 2 * addressBytes;
  }
  return false;
}

function word(at: usize): u64 {
  return addressBytes === 8 ? load<u64>(at) : u64(load<u32>(at));
}
