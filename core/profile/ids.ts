/** Ids for rows that are added to a table. */
import type { IdColumn } from './profile.js';

const MAX_ID = 0xffffffffffffffffn;

/**
 * The column with ids for the rows behind its own; undefined stays undefined (row r has id r + 1).
 * New ids follow the largest, or, where that is 2^64 − 1, fill the lowest gaps.
 */
export function extendIds(ids: IdColumn, length: number): IdColumn {
  if (ids === undefined || ids.length === length) return ids;
  const extended = new BigUint64Array(length);
  extended.set(ids);
  let largest = 0n;
  for (const id of ids) if (id > largest) largest = id;
  const behind = largest <= MAX_ID - BigInt(length - ids.length);
  const taken = behind ? undefined : new Set(ids);
  let next = behind ? largest + 1n : 1n;
  for (let row = ids.length; row < length; row++) {
    while (taken?.has(next)) next++;
    extended[row] = next++;
  }
  return extended;
}
