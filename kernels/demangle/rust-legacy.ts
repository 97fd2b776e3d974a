/**
 * Names of Rust in its legacy scheme: C++'s nested names, of which the last is a hash, with escapes for what assemblers do not take.
 * Source: rustc_symbol_mangling, legacy.rs; the hash is left away.
 */
import {
  beginReading,
  expect,
  fail,
  hasFailed,
  isBefore,
  isDigit,
  peek,
  place,
  readNumber,
  skip,
  take,
} from './cursor';
import { a, B, C, DOLLAR, DOT, E, F, f, G, h, L, N, P, R, S, T, UNDERSCORE, u, Z } from './letters';
import { beginOutput, isTooLong, write, writeBytes, writeCharacter } from './output';
import { writeSuffix } from './rust-suffix';
import { writeCodePoint } from './utf8';

const HASH_BYTES: u32 = 17;

/** @returns whether a name could be read and written */
export function demangleLegacy(start: usize, end: usize): bool {
  beginReading(start, end);
  beginOutput();
  while (take(UNDERSCORE)) {}
  expect(Z);
  expect(N);
  let count = 0;
  while (isBefore(E)) {
    const bytes = readNumber();
    const from = place;
    if (bytes === 0 || bytes > u32(end - from)) fail();
    if (hasFailed) return false;
    skip(bytes);
    if (bytes === HASH_BYTES && load<u8>(from) === u8(h) && peek() === E) continue;
    if (count++ > 0) write('::');
    writePart(from, from + bytes);
  }
  if (!hasFailed) writeSuffix();
  return !hasFailed && !isTooLong && count > 0;
}

function writePart(from: usize, to: usize): void {
  let at = from;
  // So that it does not begin with an escape.
  if (to - at > 1 && load<u8>(at) === u8(UNDERSCORE) && load<u8>(at, 1) === u8(DOLLAR)) at++;
  while (at < to) {
    const character: u32 = load<u8>(at);
    if (character === DOT) {
      const isDouble = at + 1 < to && load<u8>(at, 1) === u8(DOT);
      write(isDouble ? '::' : '.');
      at += isDouble ? 2 : 1;
      continue;
    }
    if (character === DOLLAR) {
      const closing = findDollar(at + 1, to);
      if (closing === 0 || !writeEscaped(at + 1, closing)) {
        writeBytes(at, to - at);
        return;
      }
      at = closing + 1;
      continue;
    }
    writeCharacter(character);
    at++;
  }
}

/** @returns 0 for none */
function findDollar(from: usize, to: usize): usize {
  for (let at = from; at < to; at++) {
    if (load<u8>(at) === u8(DOLLAR)) return at;
  }
  return 0;
}

/** @returns whether there is such an escape */
function writeEscaped(from: usize, to: usize): bool {
  const first: u32 = load<u8>(from);
  const bytes = to - from;
  if (first === u) return writeHexadecimal(from + 1, to);
  if (bytes === 1 && first === C) write(',');
  else if (bytes !== 2) return false;
  else return writePair((first << 8) | load<u8>(from, 1));
  return true;
}

function writePair(code: u32): bool {
  if (code === ((S << 8) | P)) write('@');
  else if (code === ((B << 8) | P)) write('*');
  else if (code === ((R << 8) | F)) write('&');
  else if (code === ((L << 8) | T)) write('<');
  else if (code === ((G << 8) | T)) write('>');
  else if (code === ((L << 8) | P)) write('(');
  else if (code === ((R << 8) | P)) write(')');
  else return false;
  return true;
}

function writeHexadecimal(from: usize, to: usize): bool {
  if (from === to || to - from > 6) return false;
  let value: u32 = 0;
  for (let at = from; at < to; at++) {
    const digit: u32 = load<u8>(at);
    if (!isDigit(digit) && (digit < a || digit > f)) return false;
    value = value * 16 + (digit >= a ? digit - a + 10 : digit - 0x30);
  }
  const isControl = value < 0x20 || (value >= 0x7f && value < 0xa0);
  return !isControl && writeCodePoint(value);
}
