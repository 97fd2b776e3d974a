/** Values of const generics. Source: rustc book, "v0 Symbol Format", const. */
import { fail, hasFailed, isBefore, isDigit, leave, peek, place, skip, take } from './cursor';
import {
  A,
  a,
  B,
  b,
  c,
  E,
  e,
  f,
  h,
  i,
  j,
  l,
  m,
  n,
  o,
  p,
  Q,
  R,
  S,
  s,
  T,
  t,
  U,
  UNDERSCORE,
  V,
  x,
  y,
  ZERO,
} from './letters';
import { write, writeBytes, writeCharacter } from './output';
import { readDisambiguator } from './rust-numbers';
import { comeBack, enterStep, followReference, readIdentifier, readPath } from './rust-v0';
import { writeCodePoint } from './utf8';

const QUOTE: u32 = 0x27;
const DOUBLE_QUOTE: u32 = 0x22;
const BACKSLASH: u32 = 0x5c;

/** @param isValue in an expression, which needs no braces */
export function readConst(isValue: bool): void {
  if (!enterStep()) return;
  readAnyConst(isValue);
  leave();
}

function readAnyConst(isValue: bool): void {
  const tag = peek();
  skip(1);
  switch (tag) {
    case p:
      write('_');
      return;
    case B: {
      const back = followReference();
      readConst(isValue);
      comeBack(back);
      return;
    }
    case a:
    case s:
    case l:
    case x:
    case n:
    case i:
      if (take(n)) write('-');
      writeInteger();
      return;
    case h:
    case t:
    case m:
    case y:
    case o:
    case j:
      writeInteger();
      return;
    case b: {
      const value = readHexadecimal();
      if (value > 1) fail();
      write(value === 1 ? 'true' : 'false');
      return;
    }
    case c: {
      const value = readHexadecimal();
      write("'");
      writeEscaped(u32(value), QUOTE);
      write("'");
      return;
    }
    case R:
      if (take(e)) {
        // The text behind the reference that a literal is.
        writeText();
        return;
      }
  }
  if (!isValue) write('{');
  readCompound(tag);
  if (!isValue) write('}');
}

function readCompound(tag: u32): void {
  switch (tag) {
    case e:
      write('*');
      writeText();
      break;
    case R:
    case Q:
      write(tag === Q ? '&mut ' : '&');
      readConst(true);
      break;
    case A:
      write('[');
      readConsts();
      write(']');
      break;
    case T: {
      write('(');
      const count = readConsts();
      write(count === 1 ? ',)' : ')');
      break;
    }
    case V:
      readVariant();
      break;
    default:
      fail();
  }
}

function readConsts(): u32 {
  let count: u32 = 0;
  for (; isBefore(E); count++) {
    if (count > 0) write(', ');
    readConst(true);
  }
  return count;
}

function readVariant(): void {
  const form = peek();
  skip(1);
  readPath(true);
  if (form === T) {
    write('(');
    readConsts();
    write(')');
  } else if (form === S) {
    write(' { ');
    for (let count: u32 = 0; isBefore(E); count++) {
      if (count > 0) write(', ');
      readDisambiguator();
      readIdentifier();
      write(': ');
      readConst(true);
    }
    write(' }');
  } else if (form !== U) fail();
}

function hexadecimalDigit(character: u32): u32 {
  if (isDigit(character)) return character - ZERO;
  if (character >= a && character <= f) return character - a + 10;
  fail();
  return 0;
}

/** Up to `_`; fails for more than 64 bits. */
function readHexadecimal(): u64 {
  let value: u64 = 0;
  while (isBefore(UNDERSCORE)) {
    if (value >> 60 !== 0) fail();
    value = (value << 4) | hexadecimalDigit(peek());
    skip(1);
  }
  return value;
}

/** In decimal, where it has at most 64 bits. */
function writeInteger(): void {
  const start = place;
  let first = start;
  while (isBefore(UNDERSCORE)) {
    if (hexadecimalDigit(peek()) === 0 && first === place) first++;
    skip(1);
  }
  if (hasFailed) return;
  const digits = place - 1 - first;
  if (digits > 16) {
    write('0x');
    writeBytes(first, digits);
    return;
  }
  let value: u64 = 0;
  for (let at = first; at < first + digits; at++) value = (value << 4) | hexadecimalDigit(load<u8>(at));
  let scale: u64 = 1;
  while (value / scale >= 10) scale *= 10;
  for (; scale > 0; scale /= 10) writeCharacter(ZERO + u32((value / scale) % 10));
}

/** Bytes of UTF-8 in hexadecimal, in quotes. */
function writeText(): void {
  write('"');
  while (isBefore(UNDERSCORE)) {
    const first = readByte();
    let further: u32 = first < 0x80 ? 0 : first >= 0xf0 ? 3 : first >= 0xe0 ? 2 : 1;
    if (first >= 0x80 && first < 0xc2) fail();
    let value = further === 0 ? first : first & (0x3f >> further);
    for (; further > 0; further--) value = (value << 6) | (readByte() & 0x3f);
    writeEscaped(value, DOUBLE_QUOTE);
  }
  write('"');
}

function readByte(): u32 {
  const high = hexadecimalDigit(peek());
  skip(1);
  const low = hexadecimalDigit(peek());
  skip(1);
  return (high << 4) | low;
}

/** As Rust shows a character. @param quote that is around it */
function writeEscaped(value: u32, quote: u32): void {
  if (value === 0) write('\\0');
  else if (value === 9) write('\\t');
  else if (value === 10) write('\\n');
  else if (value === 13) write('\\r');
  else if (value === quote || value === BACKSLASH) {
    write('\\');
    writeCharacter(value);
  } else if (value < 0x20 || value === 0x7f) {
    write('\\u{');
    if (value >= 16) writeCharacter(ZERO + (value >> 4));
    const low = value & 15;
    writeCharacter(low < 10 ? ZERO + low : a + low - 10);
    write('}');
  } else if (!writeCodePoint(value)) fail();
}
