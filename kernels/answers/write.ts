/** Answers as text, a piece at a time. */
import { allocate, release } from '../memory';
import { Frame, frame } from './frames';
import { Line, line, lineCount } from './lines';
import { literal } from './text';

const ZERO: u32 = 0x30;
const LETTER_A: u32 = 0x61;
const MINUS: u32 = 0x2d;
const LANES = 16;
/** A piece; more only where one answer is longer. */
const PIECE_BYTES: u32 = 1 << 18;
/** More than a number takes. */
const SLACK = 64;

const OBJECT_ADDRESS = literal('{"address":"');
const FRAMES = literal('","frames":[');
const FUNCTION = literal('{"function":"');
const SYSTEM_NAME = literal('","systemName":"');
const FILE = literal('","file":"');
const LINE = literal('","line":');
const COLUMN = literal(',"column":');
const START_LINE = literal(',"startLine":');
const INLINED = literal(',"inlined":true}');
const NOT_INLINED = literal(',"inlined":false}');
const COMMA = literal(',');
const END_OF_OBJECT = literal(']}\n');
const HEXADECIMAL = literal('0x');
const COLON = literal(':');
const NEWLINE = literal('\n');
const UNKNOWN = literal('??');
const UNKNOWN_PLACE = literal('??\n??:0:0\n');

export let out: usize = 0;
/** Bytes there. */
export let written: u32 = 0;
let room: u32 = 0;
let position: usize = 0;
let isFull = false;

/**
 * Whole answers from a line on, as many as make a piece.
 * @param isJson an object a line; else as llvm-symbolizer prints them @param withAddress whether the address stands before them there
 * @returns the line to go on with
 */
export function writeAnswers(first: u32, isJson: bool, withAddress: bool): u32 {
  if (room === 0) makeRoom(PIECE_BYTES);
  let next = writePiece(first, isJson, withAddress);
  while (next === first && first < lineCount) {
    makeRoom(room * 2);
    next = writePiece(first, isJson, withAddress);
  }
  return next;
}

function writePiece(first: u32, isJson: bool, withAddress: bool): u32 {
  position = out;
  written = 0;
  isFull = false;
  for (let next = first; next < lineCount; next++) {
    if (isJson) writeObject(line(next));
    else writeLines(line(next), withAddress);
    if (isFull) return next;
    written = u32(position - out);
  }
  return lineCount;
}

function makeRoom(bytes: u32): void {
  if (room > 0) release(out, room);
  room = bytes;
  out = allocate(room);
}

function writeObject(here: Line): void {
  write(OBJECT_ADDRESS);
  writeAddress(here);
  write(FRAMES);
  for (let row = 0; row < here.frames; row++) {
    const shown = frame(here.firstFrame + row);
    if (row > 0) write(COMMA);
    write(FUNCTION);
    write(shown.name);
    if (shown.systemName !== 0) {
      write(SYSTEM_NAME);
      write(shown.systemName);
    }
    write(FILE);
    write(shown.file);
    write(LINE);
    writeNumber(shown.line);
    write(COLUMN);
    writeNumber(shown.column);
    write(START_LINE);
    writeNumber(shown.startLine);
    write(row < here.frames - 1 ? INLINED : NOT_INLINED);
  }
  write(END_OF_OBJECT);
}

function writeLines(here: Line, withAddress: bool): void {
  if (withAddress) {
    writeAddress(here);
    write(NEWLINE);
  }
  if (here.frames === 0) write(UNKNOWN_PLACE);
  for (let row = 0; row < here.frames; row++) writePlace(frame(here.firstFrame + row));
  write(NEWLINE);
}

function writePlace(shown: Frame): void {
  write(known(shown.name));
  write(NEWLINE);
  write(known(shown.file));
  write(COLON);
  writeNumber(shown.line);
  write(COLON);
  writeNumber(shown.column);
  write(NEWLINE);
}

function known(text: usize): usize {
  return load<u8>(text) === 0 ? UNKNOWN : text;
}

function writeAddress(here: Line): void {
  if (here.text !== 0) {
    write(here.text);
    return;
  }
  write(HEXADECIMAL);
  const address = here.address;
  let digits: usize = address === 0 ? 1 : usize((67 - clz(address)) >> 2);
  if (!hasRoom()) return;
  for (let rest = address; digits > 0; digits--) {
    const digit = u32(rest >> ((u64(digits) - 1) << 2)) & 15;
    store<u8>(position++, digit < 10 ? ZERO + digit : LETTER_A + digit - 10);
  }
}

function writeNumber(value: f64): void {
  if (!hasRoom()) return;
  if (value < 0) store<u8>(position++, MINUS);
  let rest = u64(abs(value));
  let digits: usize = 1;
  for (let above = rest; above >= 10; above /= 10) digits++;
  position += digits;
  for (let at = position; digits > 0; digits--) {
    store<u8>(--at, ZERO + u32(rest % 10));
    rest /= 10;
  }
}

function write(text: usize): void {
  for (let from = text; hasRoom(); from += LANES) {
    const bytes = v128.load(from);
    v128.store(position, bytes);
    const ends = i8x16.bitmask(i8x16.eq(bytes, i8x16.splat(0)));
    if (ends !== 0) {
      position += ctz(ends);
      return;
    }
    position += LANES;
  }
}

function hasRoom(): bool {
  if (position + SLACK <= out + room) return true;
  isFull = true;
  return false;
}
