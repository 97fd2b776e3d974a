/** Varints, read as words of eight bytes: behind the bytes at hand there are always some more that may be read. */
import {
  NUMBER_TOO_LONG,
  NUMBER_TRUNCATED,
  TAG_TOO_LONG,
  TAG_TRUNCATED,
} from '../../plugins/codecs/pprof/kernel-codes';
import { failHere } from './place';

/** The highest bit of each byte: clear in the last one of a varint. */
const CONTINUED: u64 = 0x8080808080808080;

/** What was read last. */
export let number: u64 = 0;

/** Bytes of the number that a word begins with; above 8 when it is longer than the word. */
export function sizeOfNumber(word: u64): usize {
  return (usize(ctz(~word & CONTINUED)) >> 3) + 1;
}

/** That number. @param size at most 8 */
export function numberIn(word: u64, size: usize): u64 {
  return sevens((word << (64 - 8 * u64(size))) >> (64 - 8 * u64(size)));
}

/** Reads a number of up to 64 bits. @returns where it ends */
export function readNumber(at: usize, end: usize): usize {
  const word = load<u64>(at);
  const size = sizeOfNumber(word);
  let next: usize;
  if (size <= 8) {
    next = at + size;
    number = numberIn(word, size);
  } else {
    const ninth = u64(load<u8>(at, 8));
    const tenth = ninth < 128 ? 0 : u64(load<u8>(at, 9));
    next = at + (ninth < 128 ? 9 : 10);
    if (tenth > 1 && next <= end) failHere(NUMBER_TOO_LONG, 0, at);
    number = sevens(word & ~CONTINUED) | ((ninth & 127) << 56) | (tenth << 63);
  }
  if (next > end) failHere(NUMBER_TRUNCATED, 0, at);
  return next;
}

/** Reads a tag, which has 32 bits. @returns where it ends */
export function readTag(at: usize, end: usize): usize {
  let tag: u64 = 0;
  let next = at;
  for (let shift: u64 = 0; shift < 35; shift += 7) {
    if (next >= end) failHere(TAG_TRUNCATED, 0, at);
    const byte = u64(load<u8>(next++));
    tag |= (byte & 127) << shift;
    if (byte >= 128) continue;
    if (tag >> 32 !== 0) break;
    number = tag;
    return next;
  }
  failHere(TAG_TOO_LONG, 0, at);
  return next;
}

/** The number that up to eight bytes of seven bits make. @param bytes with the bit above each seven clear */
export function sevens(bytes: u64): u64 {
  const pairs = (bytes & 0x007f007f007f007f) | ((bytes & 0x7f007f007f007f00) >> 1);
  const fours = (pairs & 0x00003fff00003fff) | ((pairs & 0x3fff00003fff0000) >> 2);
  return (fours & 0x0fffffff) | ((fours & 0x0fffffff00000000) >> 4);
}
