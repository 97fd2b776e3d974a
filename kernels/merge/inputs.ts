/**
 * The inputs of a merge, and their order. Where google/pprof takes "the first profile's", and where it numbers by first appearance,
 * arrival would show in the result; so inputs are ordered by their earliest time that is not 0, then by their digest. Two inputs
 * with the same digest are the same bytes, and it does not matter which of them is first.
 *
 * An input has eleven words, compared as unsigned numbers: whether there is no time, the time (high, low), the digest.
 */
import { inputs } from './state';

const BYTES: u32 = 44;

/** The last in the order, of those that were looked at. */
let last: i32 = 0;
let looked: i32 = 0;

/** Forgets all of them. */
export function clearInputs(): void {
  last = 0;
  looked = 0;
}

export function reserveInput(): void {
  inputs.reserve(BYTES);
}

/** @param words its eleven words @returns its row */
export function addInput(words: usize): i32 {
  memory.copy(inputs.end, words, BYTES);
  inputs.length += BYTES;
  return inputCount() - 1;
}

export function inputCount(): i32 {
  return i32(inputs.length / BYTES);
}

/** Negative when `a` comes first, 0 when they are the same bytes. */
export function compareInputs(a: i32, b: i32): i32 {
  const wordsA = inputs.data + u32(a) * BYTES;
  const wordsB = inputs.data + u32(b) * BYTES;
  for (let i: u32 = 0; i < BYTES; i += 4) {
    const x = load<u32>(wordsA + i);
    const y = load<u32>(wordsB + i);
    if (x !== y) return x < y ? -1 : 1;
  }
  return 0;
}

/** Whether no input comes behind this one, as when they arrive in order. */
export function isLastInput(row: i32): boolean {
  for (const count = inputCount(); looked < count; looked++) if (compareInputs(looked, last) > 0) last = looked;
  return compareInputs(row, last) === 0;
}
