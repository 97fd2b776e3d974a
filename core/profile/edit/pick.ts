/** Some rows of a column, in the order asked for. */
import { NO_ROW } from '../profile.js';

/** Rows whose flag is set, in order. */
export function rowsWhere(flags: Uint8Array): Uint32Array {
  let length = 0;
  for (const flag of flags) if (flag !== 0) length++;
  const rows = new Uint32Array(length);
  let at = 0;
  for (let row = 0; row < flags.length; row++) if (flags[row] !== 0) rows[at++] = row;
  return rows;
}

export function pickRows(column: Uint32Array, rows: Uint32Array): Uint32Array {
  const picked = new Uint32Array(rows.length);
  for (let at = 0; at < rows.length; at++) picked[at] = column[rows[at]!]!;
  return picked;
}

export function pickBytes(column: Uint8Array, rows: Uint32Array): Uint8Array {
  const picked = new Uint8Array(rows.length);
  for (let at = 0; at < rows.length; at++) picked[at] = column[rows[at]!]!;
  return picked;
}

/** Copies halves: no bigint is made. */
export function pick64<Column extends BigInt64Array | BigUint64Array>(column: Column, rows: Uint32Array): Column {
  const picked = new (column.constructor as new (length: number) => Column)(rows.length);
  const from = new Uint32Array(column.buffer, column.byteOffset, column.length * 2);
  const to = new Uint32Array(picked.buffer);
  for (let at = 0; at < rows.length; at++) {
    to[at * 2] = from[rows[at]! * 2]!;
    to[at * 2 + 1] = from[rows[at]! * 2 + 1]!;
  }
  return picked;
}

/** New row of each old one: NO_ROW for those that were not picked. */
export function newRows(rows: Uint32Array, oldLength: number): Uint32Array {
  const moved = new Uint32Array(oldLength).fill(NO_ROW);
  for (let at = 0; at < rows.length; at++) moved[rows[at]!] = at;
  return moved;
}

/** A column that is left out when all of it is 0. */
export function absentIfZero(column: BigInt64Array): BigInt64Array | undefined {
  return column.some((value) => value !== 0n) ? column : undefined;
}
