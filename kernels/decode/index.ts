/**
 * Reads the tables of a profile.proto message: rows go into columns in the kernel's memory, for the host to take. What is no table
 * is the host's. The host says first what the fields of messages are (tables.ts) and where everything goes.
 */
import { CHILD, PROFILE, STRING_TABLE } from '../../plugins/codecs/pprof/kernel-codes';
import { addRow, forgetMaxString } from './rows';
import { forgetSamples } from './samples';
import { takeSideLists } from './side-lists';
import { forgetStacks, takeStacks } from './stacks';
import { addString, forgetStrings, takeStrings } from './strings';
import { fieldOf, forgetRows, takeRows } from './tables';
import { sevens } from './varint';

export { allocate } from '../memory';
export { setLimits } from './limits';
export { maxString } from './rows';
export { oddCount, oddRow, placeLabelStarts, valueCount } from './samples';
export { highLength, placeSideLists, unknownLength } from './side-lists';
export { maxStack, placeStacks, stackLength, valuesLength, valuesSign } from './stacks';
export { placeStrings, stringsLength } from './strings';
export { fields, tables } from './tables';

/**
 * Adds rows of tables, from the field at `start` on.
 * @returns where it stopped: at `end`, or at a field that is not whole, not of a table, or not written as short as it could be
 */
export function addRows(start: usize, end: usize): usize {
  let pos = start;
  while (pos < end) {
    const tag = u32(load<u8>(pos));
    if (tag >= 128) break;
    const field = fieldOf(PROFILE, tag);
    if (field.kind !== CHILD) break;
    const word = load<u32>(pos, 1);
    const ends = ~word & 0x80808080;
    if (ends === 0) break;
    const bits = ctz(ends);
    const at = pos + 1 + usize((bits + 1) >> 3);
    const last = at + usize(sevens(word & ((1 << bits) - 1)));
    if (last > end) break;
    addField(field.parameter, at, last);
    pos = last;
  }
  return pos;
}

/** Adds the row of a message, or of the string table. */
export function addField(message: i32, start: usize, end: usize): void {
  if (message === STRING_TABLE) addString(start, end);
  else addRow(message, start, end);
}

/** What is staged has been taken. */
export function take(): void {
  takeRows();
  takeStacks();
  takeStrings();
  takeSideLists();
}

/** Another profile begins. */
export function begin(): void {
  forgetRows();
  forgetMaxString();
  forgetSamples();
  forgetStacks();
  forgetStrings();
  takeSideLists();
}
