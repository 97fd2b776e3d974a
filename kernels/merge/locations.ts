/** Distinct locations: mapping, address relative to the mapping's start, is_folded and lines make them what they are. */
import { hashOf, mix, mixAll, pair } from './hash';
import { lines, locations } from './state';
import { BLOCK, blockHashes } from './table';

/** A record of `locations`. */
@unmanaged
export class Location {
  hash: i32;
  /** −1: none. */
  mapping: i32;
  /** Relative to the mapping's start. */
  address: u64;
  /** Bytes into `lines`. */
  firstLine: u32;
  /** Bytes of its lines, which are even, and is_folded as the lowest bit. */
  shape: u32;

  get lineBytes(): u32 {
    return this.shape & ~1;
  }

  get isFolded(): u32 {
    return this.shape & 1;
  }
}

/** A record of `lines`. */
@unmanaged
export class Line {
  line: i64;
  column: i64;
  function: i32;
  /** 0, so that lines are compared by words of eight bytes. */
  padding: i32;
}

export const LINE_BYTES: u32 = offsetof<Line>();

export function locationAt(row: i32): Location {
  return changetype<Location>(locations.at(row));
}

/** Where a location is to be written, before `internLocations`; lines are written behind those that there are. @param index 0 for the first */
export function newLocation(index: i32): Location {
  return changetype<Location>(locations.end + u32(index) * offsetof<Location>());
}

/** @param count how many `newLocation`s were made @param rows gets the row of each, where it is not 0 */
export function internLocations(count: i32, rows: usize): void {
  const first = changetype<usize>(newLocation(0));
  let next = 0;
  for (let i = 0; i < count; ) {
    // Profiles of one program have much in the same order.
    for (; i < count && next < locations.rows && isSame(next, staged(first, i)); i++, next++) {
      store<i32>(rows + 4 * u32(i), next);
    }
    const begin = i;
    const end = min(begin + BLOCK, count);
    for (let j = begin; j < end; j++) {
      store<i32>(blockHashes + 4 * u32(j - begin), hashLocation(staged(first, j)));
    }
    locations.bring(end - begin);
    locations.bringRest(end - begin, lines.data, offsetof<Location>('firstLine'));
    for (; i < end; i++) {
      if (load<i32>(rows + 4 * u32(i)) === 0) continue;
      next = intern(staged(first, i), load<i32>(blockHashes + 4 * u32(i - begin)));
      store<i32>(rows + 4 * u32(i), next++);
    }
  }
}

function staged(first: usize, index: i32): Location {
  return changetype<Location>(first + u32(index) * offsetof<Location>());
}

function intern(wanted: Location, hash: i32): i32 {
  let slot = locations.slotOf(hash);
  for (; load<i32>(slot) !== 0; slot = locations.nextSlot(slot)) {
    if (load<i32>(slot, 4) === hash && isSame(load<i32>(slot) - 1, wanted)) return load<i32>(slot) - 1;
  }
  const row = locations.takeFrom(changetype<usize>(wanted), slot, hash);
  const taken = locationAt(row);
  if (taken.firstLine !== lines.length) memory.copy(lines.end, lines.data + taken.firstLine, taken.lineBytes);
  taken.firstLine = lines.length;
  lines.length += taken.lineBytes;
  return row;
}

function isSame(row: i32, wanted: Location): boolean {
  const known = locationAt(row);
  if (known.address !== wanted.address || known.mapping !== wanted.mapping || known.shape !== wanted.shape)
    return false;
  const bytes = wanted.lineBytes;
  const a = lines.data + known.firstLine;
  const b = lines.data + wanted.firstLine;
  for (let i: u32 = 0; i < bytes; i += 8) if (load<u64>(a + i) !== load<u64>(b + i)) return false;
  return true;
}

function hashLocation(location: Location): i32 {
  const state = mix(mix(0, location.address), pair(location.mapping, i32(location.shape)));
  return hashOf(mixAll(state, lines.data + location.firstLine, location.lineBytes));
}
