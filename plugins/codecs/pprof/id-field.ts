/** Ids as they are written: a table's own, or row + 1. */
import { halves, type IdColumn } from '../../../core/index.js';
import { putField } from './words.js';

export function idHalves(id: IdColumn): Uint32Array | undefined {
  return id === undefined ? undefined : halves(id);
}

/** Writes the id of a row as a field: also where it is the row's number. @returns the position behind it */
export function putId(words: DataView, pos: number, field: number, ids: Uint32Array | undefined, row: number): number {
  if (ids === undefined) return putField(words, pos, field, row + 1, 0);
  return putField(words, pos, field, ids[2 * row]! | 0, ids[2 * row + 1]! | 0);
}
