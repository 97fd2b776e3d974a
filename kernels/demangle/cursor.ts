/** How far the mangled name is read. One that cannot be read fails once; from then on there is nothing more to be read. */
import { A, NINE, UNDERSCORE, Z, ZERO } from './letters';
import { DEPTH } from './limits';

export let place: usize = 0;
export let end: usize = 0;
export let hasFailed: bool = false;

const LARGEST: u32 = 1 << 24;

let depth: u32 = 0;

export function beginReading(start: usize, newEnd: usize): void {
  place = start;
  end = newEnd;
  hasFailed = false;
  depth = 0;
}

/** Goes to where was read before. */
export function moveTo(newPlace: usize): void {
  place = newPlace;
}

export function fail(): void {
  hasFailed = true;
  place = end;
}

/** @returns whether something that may hold itself can be read; then `leave` is to be called behind it */
export function enter(): bool {
  if (depth >= DEPTH) fail();
  if (hasFailed) return false;
  depth++;
  return true;
}

export function leave(): void {
  depth--;
}

/** @returns 0 behind the end */
export function peek(): u32 {
  return place < end ? load<u8>(place) : 0;
}

export function peekNext(): u32 {
  return place + 1 < end ? load<u8>(place, 1) : 0;
}

/** The next two characters, as `pair` has them; 0 if there are fewer. */
export function peekPair(): u32 {
  return place + 1 < end ? (u32(load<u8>(place)) << 8) | load<u8>(place, 1) : 0;
}

export function pair(first: u32, second: u32): u32 {
  return (first << 8) | second;
}

export function skip(characters: u32): void {
  place = min(end, place + characters);
}

export function take(character: u32): bool {
  if (peek() !== character) return false;
  place++;
  return true;
}

export function takePair(first: u32, second: u32): bool {
  if (peekPair() !== pair(first, second)) return false;
  place += 2;
  return true;
}

export function expect(character: u32): void {
  if (!take(character)) fail();
}

/** Whether a list goes on that a character ends, which is taken. */
export function isBefore(character: u32): bool {
  return !take(character) && !isAtEnd();
}

/** Where something had to come, the name has failed. */
export function isAtEnd(): bool {
  if (place < end) return false;
  fail();
  return true;
}

export function isDigit(character: u32): bool {
  return character >= ZERO && character <= NINE;
}

/** Of decimal digits. */
export function readNumber(): u32 {
  if (!isDigit(peek())) fail();
  let value: u32 = 0;
  for (; isDigit(peek()); place++) {
    value = value * 10 + peek() - ZERO;
    if (value > LARGEST) fail();
  }
  return value;
}

/** `_` is 0, `0_` is 1 and so on, in decimal. */
export function readCompactNumber(): u32 {
  if (take(UNDERSCORE)) return 0;
  const value = readNumber();
  expect(UNDERSCORE);
  return value + 1;
}

/** `_` is 0, `0_` is 1, `A_` is 11 and so on. */
export function readSequenceNumber(): u32 {
  if (take(UNDERSCORE)) return 0;
  let value: u32 = 0;
  do {
    const character = peek();
    if (isDigit(character)) value = value * 36 + character - ZERO;
    else if (character >= A && character <= Z) value = value * 36 + character - A + 10;
    else fail();
    if (value > LARGEST) fail();
    skip(1);
  } while (!take(UNDERSCORE) && !hasFailed);
  return value + 1;
}
