/** Lines with addresses, a batch at a time: what they ask for, and which frames answer them. */
import { NO_NUMBER, OUTSIDE, UNANSWERED } from '../../core/cli/symbolize/kernel-codes';
import { allocate, release } from '../memory';
import { forgetFrames } from './frames';

const NEWLINE: u32 = 0x0a;
const ZERO: u32 = 0x30;
const LETTER_A: u32 = 0x61;
const LETTER_X: u32 = 0x78;
/** Makes a letter a small one. */
const SMALL: u32 = 0x20;
const MAX_DIGITS = 16;
/** Largest number whose neighbours a float64 has too. */
const MAX_EXACT: u64 = (1 << 53) - 1;

/** One line and its answer. The host reads it as words. */
export class Line {
  address!: u64;
  /** Of the input's bytes. */
  start!: u32;
  end!: u32;
  firstFrame!: u32;
  /** UNANSWERED at first. */
  frames!: i32;
  /** What stands in the answer in place of the address: a text, 0 for none. */
  text!: usize;
}

export let lineCount: u32 = 0;
export let lines: usize = 0;
/** f64 each: object addresses, or what stands in their place. */
export let addresses: usize = 0;
let room: u32 = 0;
let input: usize = 0;
let inputRoom: u32 = 0;

export function line(index: u32): Line {
  return changetype<Line>(lines + index * offsetof<Line>());
}

/** Where the host puts an input. @param bytes of it */
export function placeInput(bytes: u32): usize {
  if (bytes > inputRoom) {
    if (inputRoom > 0) release(input, inputRoom);
    inputRoom = bytes;
    input = allocate(bytes);
  }
  return input;
}

/**
 * Forgets the lines before. Plain numbers get an object address.
 * @param bytes of the input, which are at least one line
 * @param isDecimal numbers without 0x are not read here @param baseLow, baseHigh what is taken off them
 */
export function readLines(bytes: u32, isDecimal: bool, baseLow: u32, baseHigh: u32): void {
  placeLines(bytes);
  forgetFrames();
  const base = (u64(baseHigh) << 32) | u64(baseLow);
  let start: u32 = 0;
  for (let index: u32 = 0; index < lineCount; index++) {
    let end = start;
    while (end < bytes && load<u8>(input + end) !== NEWLINE) end++;
    const here = line(index);
    here.start = start;
    here.end = end;
    here.frames = UNANSWERED;
    here.text = 0;
    store<f64>(addresses + index * sizeof<f64>(), objectAddress(here, isDecimal, base));
    start = end + 1;
  }
}

function placeLines(bytes: u32): void {
  lineCount = 1;
  for (let at: u32 = 0; at < bytes; at++) lineCount += u32(load<u8>(input + at) === NEWLINE);
  if (lineCount <= room) return;
  if (room > 0) {
    release(lines, room * u32(offsetof<Line>()));
    release(addresses, room * sizeof<f64>());
  }
  room = lineCount;
  lines = allocate(room * u32(offsetof<Line>()));
  addresses = allocate(room * sizeof<f64>());
}

function objectAddress(here: Line, isDecimal: bool, base: u64): f64 {
  let at = input + here.start;
  const end = input + here.end;
  if (end - at > 2 && load<u8>(at) === ZERO && (u32(load<u8>(at, 1)) | SMALL) === LETTER_X) at += 2;
  else if (isDecimal || at === end) return NO_NUMBER;
  let value: u64 = 0;
  let digits = 0;
  for (; at < end; at++) {
    const digit = hexDigit(load<u8>(at));
    if (digit > 15) return NO_NUMBER;
    value = (value << 4) | u64(digit);
    if (value !== 0 && ++digits > MAX_DIGITS) return NO_NUMBER;
  }
  here.address = value;
  return value < base || value - base > MAX_EXACT ? OUTSIDE : f64(value - base);
}

/** Above 15 for what is none. */
function hexDigit(character: u32): u32 {
  const digit = character - ZERO;
  if (digit < 10) return digit;
  const letter = (character | SMALL) - LETTER_A;
  return letter < 6 ? letter + 10 : u32.MAX_VALUE;
}

/** What the answer to a line calls its address. */
export function nameAddress(index: u32, low: u32, high: u32): void {
  line(index).address = (u64(high) << 32) | u64(low);
}

/** Answers a line with frames that were added. */
export function answer(index: u32, firstFrame: u32, count: i32): void {
  const here = line(index);
  here.firstFrame = firstFrame;
  here.frames = count;
}

/** Answers a line that is no address. @param text of it */
export function answerText(index: u32, text: usize): void {
  line(index).text = text;
  answer(index, 0, 0);
}
