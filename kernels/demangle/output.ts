/** What is written: text for people, which must not become too long. */
import { ZERO } from './letters';
import { OUTPUT_BYTES } from './limits';
import { OUTPUT } from './memory';

export let written: usize = OUTPUT;
/** Then nothing more is written. */
export let isTooLong: bool = false;

export function beginOutput(): void {
  written = OUTPUT;
  isTooLong = false;
}

export function giveUp(): void {
  isTooLong = true;
}

/** Forgets what was written since. */
export function rewind(to: usize): void {
  written = to;
}

function hasRoom(bytes: usize): bool {
  if (written + bytes <= OUTPUT + OUTPUT_BYTES) return true;
  isTooLong = true;
  return false;
}

export function write(text: string): void {
  const length = text.length;
  if (!hasRoom(length)) return;
  const from = changetype<usize>(text);
  for (let at: usize = 0; at < usize(length); at++) store<u8>(written + at, load<u8>(from + (at << 1)));
  written += length;
}

export function writeCharacter(character: u32): void {
  if (!hasRoom(1)) return;
  store<u8>(written++, u8(character));
}

export function writeBytes(from: usize, bytes: usize): void {
  if (!hasRoom(bytes)) return;
  if (bytes > 32) memory.copy(written, from, bytes);
  else for (let at: usize = 0; at < bytes; at++) store<u8>(written + at, load<u8>(from + at));
  written += bytes;
}

export function writeNumber(value: u32): void {
  let scale: u32 = 1;
  while (value / scale >= 10) scale *= 10;
  for (; scale > 0; scale /= 10) writeCharacter(ZERO + ((value / scale) % 10));
}

/** @returns 0 if nothing is written */
export function lastCharacter(): u32 {
  return written > OUTPUT ? load<u8>(written - 1) : 0;
}
