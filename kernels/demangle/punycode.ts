/** Identifiers with other characters than ASCII's. Source: RFC 3492; Rust RFC 2603, which has `_` in place of `-`. */
import { fail, isDigit } from './cursor';
import { a, UNDERSCORE, ZERO, z } from './letters';
import { PENDING_MEMBERS } from './memory';
import { writeCodePoint } from './utf8';

/** Longer identifiers are not written by people; no list is pending where names of Rust are read. */
const LONGEST: u32 = 1024;
const BASE: u32 = 36;
const FIRST_BIAS: u32 = 72;
const FIRST_DAMPING: u32 = 700;
const LARGEST: u64 = 1 << 30;

function store32(index: u32, codePoint: u32): void {
  store<u32>(PENDING_MEMBERS + (index << 2), codePoint);
}

/** Fails for what is no such text. */
export function writePunycode(from: usize, bytes: u32): void {
  if (bytes > LONGEST) {
    fail();
    return;
  }
  let count: u32 = 0;
  let at: u32 = 0;
  for (let split = bytes; split > 0; split--) {
    if (load<u8>(from + split - 1) !== u8(UNDERSCORE)) continue;
    for (; count < split - 1; count++) store32(count, load<u8>(from + count));
    at = split;
    break;
  }
  let codePoint: u32 = 0x80;
  let position: u64 = 0;
  let bias = FIRST_BIAS;
  let isFirst = true;
  while (at < bytes) {
    const before = position;
    let weight: u64 = 1;
    for (let scale = BASE; ; scale += BASE) {
      const digit = at < bytes ? digitOf(load<u8>(from + at)) : BASE;
      if (digit === BASE || position > LARGEST || weight > LARGEST) {
        fail();
        return;
      }
      at++;
      position += u64(digit) * weight;
      const threshold: u32 = scale <= bias + 1 ? 1 : scale >= bias + 26 ? 26 : scale - bias;
      if (digit < threshold) break;
      weight *= BASE - threshold;
    }
    count++;
    bias = adapt(u32(position - before), count, isFirst);
    isFirst = false;
    codePoint += u32(position / count);
    position %= count;
    insert(u32(position), count, codePoint);
    position++;
  }
  for (let index: u32 = 0; index < count; index++) {
    if (!writeCodePoint(load<u32>(PENDING_MEMBERS + (index << 2)))) fail();
  }
}

/** @returns BASE for none */
function digitOf(character: u32): u32 {
  if (character >= a && character <= z) return character - a;
  return isDigit(character) ? character - ZERO + 26 : BASE;
}

function adapt(delta: u32, count: u32, isFirst: bool): u32 {
  let rest = isFirst ? delta / FIRST_DAMPING : delta >> 1;
  rest += rest / count;
  let bias: u32 = 0;
  for (; rest > ((BASE - 1) * 26) >> 1; bias += BASE) rest /= BASE - 1;
  return bias + (BASE * rest) / (rest + 38);
}

function insert(position: u32, count: u32, codePoint: u32): void {
  const at = PENDING_MEMBERS + (position << 2);
  memory.copy(at + 4, at, (count - 1 - position) << 2);
  store<u32>(at, codePoint);
}
