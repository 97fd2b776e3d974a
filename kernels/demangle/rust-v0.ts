/** Names of Rust. Source: Rust RFC 2603, "Symbol name grammar v0"; rustc book, "v0 Symbol Format". Hashes of crates are left away. */
import {
  beginReading,
  end,
  enter,
  expect,
  fail,
  hasFailed,
  isBefore,
  isDigit,
  leave,
  moveTo,
  peek,
  place,
  skip,
  take,
} from './cursor';
import { A, B, C, DOLLAR, DOT, E, I, K, L, M, N, R, S, UNDERSCORE, u, X, Y, Z, ZERO } from './letters';
import { PRINT_STEPS } from './limits';
import { beginOutput, isTooLong, rewind, write, writeBytes, writeCharacter, writeNumber, written } from './output';
import { writePunycode } from './punycode';
import { readConst } from './rust-consts';
import { readBase62, readDisambiguator } from './rust-numbers';
import { writeSuffix } from './rust-suffix';
import { beginLifetimes, readType, writeLifetime } from './rust-types';

/** What references count from. */
let origin: usize = 0;
let steps: u32 = 0;

/** @returns whether a name could be read and written */
export function demangleVersionZero(start: usize, newEnd: usize): bool {
  beginReading(start, newEnd);
  beginOutput();
  beginLifetimes();
  steps = 0;
  while (take(UNDERSCORE)) {}
  expect(R);
  origin = place;
  readPath(true);
  if (!hasFailed && place < end && peek() !== DOT && peek() !== DOLLAR) {
    // The crate that a generic function was made for.
    const before = written;
    readPath(false);
    rewind(before);
  }
  if (!hasFailed) writeSuffix();
  return !hasFailed && !isTooLong;
}

/** What is referred to is read again. */
export function enterStep(): bool {
  if (isTooLong || ++steps > PRINT_STEPS) fail();
  return enter();
}

/** Behind `B`: moves to what is meant. @returns where to go on then */
export function followReference(): usize {
  const offset = readBase62();
  const back = place;
  const target = origin + usize(offset);
  // Only what is in front may be referred to, so that no reference is in itself.
  if (offset > u64(back - origin) || target + 1 >= back) fail();
  else moveTo(target);
  return back;
}

/** Goes on behind a reference. */
export function comeBack(back: usize): void {
  if (!hasFailed) moveTo(back);
}

/** @param isValue of an expression, where `::` stands before generic arguments */
export function readPath(isValue: bool): void {
  if (!enterStep()) return;
  readAnyPath(isValue);
  leave();
}

function readAnyPath(isValue: bool): void {
  const tag = peek();
  skip(1);
  switch (tag) {
    case C:
      readDisambiguator();
      readIdentifier();
      break;
    case N:
      readNested(isValue);
      break;
    case M:
    case X:
      skipImplPath();
      write('<');
      readType();
      if (tag === X) {
        write(' as ');
        readPath(false);
      }
      write('>');
      break;
    case Y:
      write('<');
      readType();
      write(' as ');
      readPath(false);
      write('>');
      break;
    case I:
      readPath(isValue);
      if (isValue) write('::');
      write('<');
      readGenericArguments();
      write('>');
      break;
    case B: {
      const back = followReference();
      readPath(isValue);
      comeBack(back);
      break;
    }
    default:
      fail();
  }
}

/** Where an implementation is: only what it is for is written. */
function skipImplPath(): void {
  const before = written;
  readDisambiguator();
  readPath(false);
  rewind(before);
}

function readNested(isValue: bool): void {
  const namespace = peek();
  skip(1);
  readPath(isValue);
  const number = readDisambiguator();
  if (namespace >= A && namespace <= Z) {
    write('::{');
    if (namespace === C) write('closure');
    else if (namespace === S) write('shim');
    else writeCharacter(namespace);
    const before = written;
    write(':');
    const start = written;
    readIdentifier();
    if (written === start) rewind(before);
    write('#');
    writeNumber(u32(number));
    write('}');
    return;
  }
  const before = written;
  write('::');
  const start = written;
  readIdentifier();
  if (written === start) rewind(before);
}

/** Up to E, with commas; @returns how many */
function readGenericArguments(): u32 {
  let count: u32 = 0;
  for (; isBefore(E); count++) {
    if (count > 0) write(', ');
    if (take(L)) writeLifetime(readBase62());
    else if (take(K)) readConst(false);
    else readType();
  }
  return count;
}

/** Without what tells it from others. */
export function readIdentifier(): void {
  const isPunycode = take(u);
  let bytes: u32 = 0;
  if (!isDigit(peek())) fail();
  if (!take(ZERO)) {
    for (; isDigit(peek()); skip(1)) {
      bytes = bytes * 10 + peek() - ZERO;
      if (bytes > u32(end - place)) fail();
    }
  }
  take(UNDERSCORE);
  if (bytes > u32(end - place)) fail();
  if (hasFailed) return;
  const from = place;
  skip(bytes);
  if (isPunycode) writePunycode(from, bytes);
  else writeBytes(from, bytes);
}
