/**
 * Go 1.12 changed functions' records and kept the magic of 1.2: the number of funcdata words, 32 bits before, became the highest byte
 * of these. So that word tells the two apart, by all functions that have any.
 * Source: Go 1.11, 1.12 src/runtime/runtime2.go _func.
 */
import type { FunctionIndex } from './function-index.js';
import type { PclntabHeader } from './header.js';
import type { GoLayout } from './table.js';

/** Offset of the word behind the record's first. */
const COUNT_WORD = 28;

/** @param table all of it, with the magic of 1.2 */
export function tellEarlyLayout(
  table: Uint8Array,
  { records, pointerBytes }: PclntabHeader,
  index: FunctionIndex,
): GoLayout {
  const view = new DataView(table.buffer, table.byteOffset, table.byteLength);
  let counts = 0;
  let countsInHighestByte = 0;
  for (const record of index.records) {
    const at = records + record + pointerBytes + COUNT_WORD;
    const word = at + 4 <= view.byteLength ? view.getUint32(at, true) : 0;
    if (word === 0) continue;
    counts++;
    if (word >= 1 << 24) countsInHighestByte++;
  }
  return 2 * countsInHighestByte > counts ? '1.12' : '1.2';
}
