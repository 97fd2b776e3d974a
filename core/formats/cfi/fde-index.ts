/** The FDEs of a section in order of address, for finding the one that covers a pc. */
import type { FormatError } from '../errors.js';
import type { Budget } from '../limits.js';
import type { EntryReader } from './entry.js';

/** Columns, one row an FDE, in order of `start`. */
export interface FdeIndex {
  readonly length: number;
  /** Object addresses: the code is [start, end). Where two overlap, the first ends where the second begins. */
  readonly starts: Uint32Array;
  readonly ends: Uint32Array;
  /** Into the section. */
  readonly offsets: Uint32Array;
}

/**
 * Addresses beyond 4 GiB of the image, and those below it (of functions that the linker dropped), are left out.
 * @param onFault called for each entry that is spoilt: it is left out
 * @throws FormatError E_LIMIT (tableRows)
 */
export function readFdeIndex(reader: EntryReader, budget: Budget, onFault: (fault: FormatError) => void): FdeIndex {
  const starts: number[] = [];
  const ends: number[] = [];
  const offsets: number[] = [];
  let isSorted = true;
  const { name } = reader.section;
  const { tableRows } = budget.limits;
  reader.forEachRange((start, size, offset) => {
    if (start < 0 || start + size >= 2 ** 32 || size === 0) return;
    if (starts.length >= tableRows) budget.check('tableRows', starts.length + 1, { section: name, offset });
    if (starts.length > 0 && start <= starts[starts.length - 1]!) isSorted = false;
    starts.push(start);
    ends.push(start + size);
    offsets.push(offset);
  }, onFault);
  const order = isSorted ? undefined : sortedByStart(starts);
  const length = order?.length ?? starts.length;
  const index = {
    length,
    starts: new Uint32Array(length),
    ends: new Uint32Array(length),
    offsets: new Uint32Array(length),
  };
  for (let row = 0; row < length; row++) {
    const from = order === undefined ? row : order[row]!;
    index.starts[row] = starts[from]!;
    index.ends[row] = ends[from]!;
    index.offsets[row] = offsets[from]!;
  }
  for (let row = 1; row < length; row++) {
    if (index.ends[row - 1]! > index.starts[row]!) index.ends[row - 1] = index.starts[row]!;
  }
  return index;
}

/** @returns the row whose code holds the pc, −1 where none does */
export function findFde(index: FdeIndex, pc: number): number {
  let low = 0;
  let high = index.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (index.starts[middle]! <= pc) low = middle + 1;
    else high = middle;
  }
  return low > 0 && pc < index.ends[low - 1]! ? low - 1 : -1;
}

/** Rows in order of start; of those with one start, the first in the section. */
function sortedByStart(starts: readonly number[]): Uint32Array {
  const keys = new BigUint64Array(starts.length);
  // Of each key the lower half is the row.
  const halves = new Uint32Array(keys.buffer);
  for (let row = 0; row < starts.length; row++) {
    halves[2 * row] = row;
    halves[2 * row + 1] = starts[row]!;
  }
  keys.sort();
  const rows = new Uint32Array(starts.length);
  let length = 0;
  for (let place = 0; place < halves.length; place += 2) {
    if (place > 0 && halves[place + 1] === halves[place - 1]) continue;
    rows[length++] = halves[place]!;
  }
  return rows.subarray(0, length);
}
