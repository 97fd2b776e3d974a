/** The string table. */
import {
  FIRST_STRING_NOT_EMPTY,
  STRING_TABLE,
  STRING_TOO_LONG,
  TOO_MANY_ROWS,
} from '../../plugins/codecs/pprof/kernel-codes';
import { stringBytes, tableRows } from './limits';
import { enterRow, failHere } from './place';
import { tableOf } from './tables';

/** Where the bytes go: the host says so. */
let bytes: usize = 0;
/** How many are staged, and how many were taken. */
export let stringsLength: u32 = 0;
let taken: u32 = 0;

export function placeStrings(newBytes: usize): void {
  bytes = newBytes;
}

export function addString(start: usize, end: usize): void {
  const table = tableOf(STRING_TABLE);
  const row = table.taken + table.rows;
  const length = u32(end - start);
  enterRow(STRING_TABLE, row);
  if (row >= tableRows) failHere(TOO_MANY_ROWS, 0, start, u64(row) + 1);
  if (length > stringBytes) failHere(STRING_TOO_LONG, 0, start, length);
  if (row === 0 && length > 0) failHere(FIRST_STRING_NOT_EMPTY, 0, start, length);
  store<u32>(table.starts + (table.rows << 2), taken + stringsLength);
  table.rows++;
  const to = bytes + stringsLength;
  stringsLength += length;
  // Calling for a copy costs as much as copying some words.
  if (length > 128) memory.copy(to, start, length);
  else for (let at: usize = 0; at < length; at += 8) store<u64>(to + at, load<u64>(start + at));
}

export function takeStrings(): void {
  taken += stringsLength;
  stringsLength = 0;
}

export function forgetStrings(): void {
  taken = 0;
  stringsLength = 0;
}
