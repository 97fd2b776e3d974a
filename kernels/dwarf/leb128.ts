/**
 * LEB128 numbers. Behind the bytes at hand there are zeros, at which a number that is cut ends: so reads need no checks, and whoever
 * reads looks afterwards whether `next` is behind the end.
 */

/** Behind what was read last. */
export let next: usize = 0;

/** @returns the highest number for one that 64 bits do not hold */
export function readUnsigned(at: usize): u64 {
  let byte = u64(load<u8>(at++));
  let value = byte & 127;
  let shift: u64 = 7;
  let isTooLong = false;
  while (byte >= 128) {
    byte = u64(load<u8>(at++));
    if (shift < 63) value |= (byte & 127) << shift;
    else isTooLong = isTooLong || (byte & 127) !== 0;
    shift += 7;
  }
  next = at;
  return isTooLong ? u64.MAX_VALUE : value;
}

/** Of a number that 64 bits do not hold, the lowest ones. */
export function readSigned(at: usize): i64 {
  let value: i64 = 0;
  let shift: i64 = 0;
  let byte: i64;
  do {
    byte = i64(load<u8>(at++));
    if (shift < 64) value |= (byte & 127) << shift;
    shift += 7;
  } while (byte >= 128);
  next = at;
  return (byte & 64) !== 0 && shift < 64 ? value | (i64(-1) << shift) : value;
}

/** @returns behind the number */
export function skip(at: usize): usize {
  while (load<u8>(at++) >= 128);
  return at;
}
