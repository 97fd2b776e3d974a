/** Distinct locations: mapping, address relative to the mapping's start, is_folded and lines make them what they are. */
import { finishHash, K1, K2, K3, K4, K5, K6 } from './hash';
import { lines, locations } from './state';

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

/** Where the next location is to be written, before `internLocation`; its lines behind those that there are. */
export function newLocation(): Location {
  return changetype<Location>(locations.end);
}

/** @param guess a row that it may well have @returns row of the location that `newLocation` was made to be */
export function internLocation(guess: i32): i32 {
  const wanted = newLocation();
  // Profiles of one program have much in the same order.
  if (guess < locations.rows && isSame(guess, wanted)) return guess;
  const hash = hashLocation(wanted);
  let slot = locations.slotOf(hash);
  for (; load<i32>(slot) !== 0; slot = locations.nextSlot(slot)) {
    if (load<i32>(slot, 4) === hash && isSame(load<i32>(slot) - 1, wanted)) return load<i32>(slot) - 1;
  }
  lines.length += wanted.lineBytes;
  return locations.take(slot, hash);
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
  const ofAddress = i32(location.address) * K2 + i32(location.address >>> 32) * K3;
  let sum = location.mapping * K1 + ofAddress + i32(location.shape) * K4;
  const first = lines.data + location.firstLine;
  const end = first + location.lineBytes;
  for (let at = first; at < end; at += LINE_BYTES) {
    const line = changetype<Line>(at);
    sum = sum * K1 + line.function * K2 + i32(line.line) * K3 + i32(line.line >>> 32) * K4;
    sum += i32(line.column) * K5 + i32(line.column >>> 32) * K6;
  }
  return finishHash(sum);
}
