/** How long values are by their forms, as the host describes them for one encoding, and which attributes are fields. */
import {
  ATTRIBUTE_NUMBERS,
  BLOCK1,
  BLOCK2,
  BLOCK4,
  FIRST_GNU_ATTRIBUTE,
  FIRST_GNU_FORM,
  FORM_NUMBERS,
  LEB,
  LOW_NUMBERS,
  TEXT,
  UNKNOWN,
} from '../../core/formats/dwarf/kernel-codes';
import { next, readUnsigned, skip } from './leb128';

export const NO_FIELD: u32 = 255;

/** By number of the attribute: its field, or NO_FIELD. */
export const fieldNumbers: usize = memory.data(ATTRIBUTE_NUMBERS, 8);

/** @param attribute its number in .debug_abbrev */
export function fieldOf(attribute: u64): u32 {
  const index = indexOf(attribute, FIRST_GNU_ATTRIBUTE, ATTRIBUTE_NUMBERS);
  return index === NONE ? NO_FIELD : u32(load<u8>(fieldNumbers + index));
}

/** @param layouts by number of the form, of one encoding @returns bytes, or one of the layouts in kernel-codes.ts */
export function layoutOf(layouts: usize, form: u64): i32 {
  const index = indexOf(form, FIRST_GNU_FORM, FORM_NUMBERS);
  return index === NONE ? UNKNOWN : i32(load<i8>(layouts + index));
}

const NONE: usize = usize.MAX_VALUE;

/** Where a number is in a table of those of the standard and those from `firstGnu` on. */
function indexOf(number: u64, firstGnu: u64, tableLength: u64): usize {
  if (number < u64(LOW_NUMBERS)) return usize(number);
  const index = number - firstGnu + u64(LOW_NUMBERS);
  return number >= firstGnu && index < tableLength ? usize(index) : NONE;
}

/**
 * @param layout of a value that has no fixed length and is not INDIRECT
 * @returns behind the value; somewhere behind `end` for one that does not end before
 */
export function skipVariable(at: usize, end: usize, layout: i32): usize {
  let bytes: u64;
  switch (layout) {
    case LEB:
      return skip(at);
    case TEXT:
      while (at < end && load<u8>(at) !== 0) at++;
      return at + 1;
    case BLOCK1:
      bytes = load<u8>(at++);
      break;
    case BLOCK2:
      bytes = load<u16>(at);
      at += 2;
      break;
    case BLOCK4:
      bytes = load<u32>(at);
      at += 4;
      break;
    default:
      bytes = readUnsigned(at);
      at = next;
  }
  return at <= end && bytes <= u64(end - at) ? at + usize(bytes) : end + 1;
}
