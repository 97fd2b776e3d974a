/** Types of Rust. Source: rustc book, "v0 Symbol Format", type, fn-sig, dyn-bounds, binder. */
import { expect, fail, hasFailed, isBefore, leave, peek, skip, take } from './cursor';
import {
  A,
  a,
  B,
  b,
  C,
  c,
  D,
  d,
  E,
  e,
  F,
  f,
  G,
  h,
  i,
  j,
  K,
  L,
  l,
  m,
  n,
  O,
  o,
  P,
  p,
  Q,
  R,
  S,
  s,
  T,
  t,
  U,
  UNDERSCORE,
  u,
  v,
  x,
  y,
  z,
} from './letters';
import { lastCharacter, rewind, write, writeCharacter, writeNumber, written } from './output';
import { readConst } from './rust-consts';
import { readBase62 } from './rust-numbers';
import { comeBack, enterStep, followReference, readIdentifier, readPath } from './rust-v0';

const LETTERS: u32 = 26;
const MOST_LIFETIMES: u64 = 1 << 12;
const GREATER: u32 = 0x3e;

/** That are bound where is read. */
let lifetimes: u64 = 0;

export function beginLifetimes(): void {
  lifetimes = 0;
}

/** @param index 0 for one that has no name, 1 for the one that was bound last */
export function writeLifetime(index: u64): void {
  write("'");
  if (index === 0) {
    write('_');
    return;
  }
  if (index > lifetimes) {
    fail();
    return;
  }
  const number = u32(lifetimes - index);
  if (number < LETTERS) writeCharacter(a + number);
  else {
    write('_');
    writeNumber(number);
  }
}

/** `G`: @returns how many lifetimes are bound, for `unbind` */
function readBinder(): u64 {
  if (!take(G)) return 0;
  const count = readBase62() + 1;
  if (count > MOST_LIFETIMES) fail();
  if (hasFailed) return 0;
  write('for<');
  for (let index: u64 = 0; index < count; index++) {
    if (index > 0) write(', ');
    lifetimes++;
    writeLifetime(1);
  }
  write('> ');
  return count;
}

function unbind(count: u64): void {
  lifetimes -= count;
}

export function readType(): void {
  if (!enterStep()) return;
  readAnyType();
  leave();
}

function readAnyType(): void {
  const tag = peek();
  const name = basicType(tag);
  if (name.length > 0) {
    skip(1);
    write(name);
    return;
  }
  switch (tag) {
    case R:
    case Q:
      skip(1);
      write('&');
      if (take(L)) {
        const lifetime = readBase62();
        if (lifetime !== 0) {
          writeLifetime(lifetime);
          write(' ');
        }
      }
      if (tag === Q) write('mut ');
      readType();
      break;
    case P:
    case O:
      skip(1);
      write(tag === P ? '*const ' : '*mut ');
      readType();
      break;
    case A:
    case S:
      skip(1);
      write('[');
      readType();
      if (tag === A) {
        write('; ');
        readConst(true);
      }
      write(']');
      break;
    case T:
      skip(1);
      readTuple();
      break;
    case F:
      skip(1);
      readFunction();
      break;
    case D:
      skip(1);
      readDynamic();
      break;
    case B: {
      skip(1);
      const back = followReference();
      readType();
      comeBack(back);
      break;
    }
    default:
      readPath(false);
  }
}

function readTuple(): void {
  write('(');
  let count: u32 = 0;
  for (; isBefore(E); count++) {
    if (count > 0) write(', ');
    readType();
  }
  write(count === 1 ? ',)' : ')');
}

function readFunction(): void {
  const bound = readBinder();
  if (take(U)) write('unsafe ');
  if (take(K)) {
    write('extern "');
    if (take(C)) write('C');
    else {
      const start = written;
      readIdentifier();
      for (let at = start; at < written; at++) {
        if (load<u8>(at) === u8(UNDERSCORE)) store<u8>(at, 0x2d);
      }
    }
    write('" ');
  }
  write('fn(');
  for (let count: u32 = 0; isBefore(E); count++) {
    if (count > 0) write(', ');
    readType();
  }
  write(')');
  if (!take(u)) {
    write(' -> ');
    readType();
  }
  unbind(bound);
}

function readDynamic(): void {
  write('dyn ');
  const bound = readBinder();
  for (let count: u32 = 0; isBefore(E); count++) {
    if (count > 0) write(' + ');
    readTrait();
  }
  unbind(bound);
  expect(L);
  const lifetime = readBase62();
  if (lifetime === 0) return;
  write(' + ');
  writeLifetime(lifetime);
}

/** What its associated types are is among its generic arguments. */
function readTrait(): void {
  const start = written;
  readPath(false);
  let isOpen = false;
  while (take(p)) {
    if (isOpen) write(', ');
    else if (written > start && lastCharacter() === GREATER && load<u8>(start) !== 0x3c) {
      rewind(written - 1);
      write(', ');
    } else write('<');
    isOpen = true;
    readIdentifier();
    write(' = ');
    readType();
  }
  if (isOpen) write('>');
}

/** @returns '' for none */
function basicType(tag: u32): string {
  switch (tag) {
    case b:
      return 'bool';
    case c:
      return 'char';
    case e:
      return 'str';
    case u:
      return '()';
    case a:
      return 'i8';
    case s:
      return 'i16';
    case l:
      return 'i32';
    case x:
      return 'i64';
    case n:
      return 'i128';
    case i:
      return 'isize';
    case h:
      return 'u8';
    case t:
      return 'u16';
    case m:
      return 'u32';
    case y:
      return 'u64';
    case o:
      return 'u128';
    case j:
      return 'usize';
    case f:
      return 'f32';
    case d:
      return 'f64';
    case z:
      return '!';
    case p:
      return '_';
    case v:
      return '...';
    default:
      return '';
  }
}
