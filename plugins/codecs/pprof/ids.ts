/**
 * Ids of profile.proto: any 64-bit numbers but 0, met before or after the rows that they name. Kept as halves as they come, and
 * turned into rows at the end.
 */
import { FormatError, type IdColumn } from '../../../core/index.js';
import { IntegerColumn, SparseColumn, WideColumn } from './columns.js';

/** References by id. */
export class ReferenceColumn {
  /** The low half less one (modulo 2^32): for dense ids that is the row already, and NO_ROW is what id 0 becomes. */
  readonly rows = new IntegerColumn();
  /** High halves, only if any is not 0. */
  readonly high = new SparseColumn(1);
  /** Largest of `rows`, as unsigned numbers; −1 when there is none. */
  max = -1;

  push(lo: number, hi: number): void {
    if (hi !== 0) this.high.set(this.rows.length, hi);
    const row = (lo - 1) >>> 0;
    if (row > this.max) this.max = row;
    this.rows.push(row);
  }
}

/** Ids of a table's rows. */
export class IdTable {
  readonly #ids = new WideColumn();
  /** Message name in errors: "Profile.location". */
  readonly #message: string;
  /** Whether row r has id r + 1 for all rows: true for nearly every writer. */
  #dense = true;
  /** Open addressing: row + 1, 0 where free. Absent for dense ids. */
  #slots: Uint32Array | undefined;

  constructor(message: string) {
    this.#message = message;
  }

  get length(): number {
    return this.#ids.length;
  }

  push(lo: number, hi: number): void {
    this.#ids.push(lo, hi);
    if (lo !== this.#ids.length || hi !== 0) this.#dense = false;
  }

  /** Makes the table ready for `find`. @throws FormatError E_ID_ZERO, E_ID_TWICE */
  index(): void {
    if (this.#dense) return;
    let capacity = 16;
    while (capacity < this.length * 2) capacity *= 2;
    const slots = new Uint32Array(capacity);
    const ids = this.#ids.data;
    for (let row = 0; row < this.length; row++) {
      const lo = ids[2 * row]!;
      const hi = ids[2 * row + 1]!;
      if (lo === 0 && hi === 0) throw this.#fail('E_ID_ZERO', 'id is 0 or missing', row);
      let at = hash(lo, hi) & (capacity - 1);
      for (; slots[at] !== 0; at = (at + 1) & (capacity - 1)) {
        const other = slots[at]! - 1;
        if (ids[2 * other] === lo && ids[2 * other + 1] === hi) {
          throw this.#fail('E_ID_TWICE', `id is the same as in row ${other}`, row);
        }
      }
      slots[at] = row + 1;
    }
    this.#slots = slots;
  }

  /** Row of an id; −1 if there is none. */
  find(lo: number, hi: number): number {
    const slots = this.#slots;
    if (slots === undefined) return hi === 0 && lo <= this.length ? lo - 1 : -1;
    const ids = this.#ids.data;
    const mask = slots.length - 1;
    for (let at = hash(lo, hi) & mask; slots[at] !== 0; at = (at + 1) & mask) {
      const row = slots[at]! - 1;
      if (ids[2 * row] === lo && ids[2 * row + 1] === hi) return row;
    }
    return -1;
  }

  /**
   * Rows of references; empties the column.
   * @param zeroIsNoRow whether id 0 means NO_ROW, or nothing
   * @param onMissing makes the error for the reference at an index
   */
  resolve(
    references: ReferenceColumn,
    zeroIsNoRow: boolean,
    onMissing: (index: number, id: bigint) => FormatError,
  ): Uint32Array {
    const { max } = references;
    references.max = -1;
    const rows = references.rows.finish();
    const high = references.high.finish(rows.length);
    const isDense = high === undefined && this.#slots === undefined;
    if (isDense && max < this.length) return rows;
    for (let i = 0; i < rows.length; i++) {
      const lo = (rows[i]! + 1) >>> 0;
      const hi = high === undefined ? 0 : high[i]!;
      if (lo === 0 && hi === 0 && zeroIsNoRow) continue;
      const row = this.find(lo, hi);
      if (row < 0) throw onMissing(i, (BigInt(hi) << 32n) | BigInt(lo));
      rows[i] = row;
    }
    return rows;
  }

  /** The column as Profile wants it; empties the table. */
  finish(): IdColumn {
    const ids = this.#dense ? undefined : this.#ids.finishUnsigned();
    this.#ids.length = 0;
    this.#dense = true;
    this.#slots = undefined;
    return ids;
  }

  #fail(code: string, message: string, row: number): FormatError {
    const got = this.#ids.finishUnsigned()[row];
    return new FormatError(code, message, { section: `${this.#message}[${row}].id`, got });
  }
}

/** The row that entry `index` belongs to: the last one that starts at or before it and is not empty. */
export function rowOf(starts: Uint32Array, index: number): number {
  let low = 0;
  let high = starts.length - 1;
  while (high - low > 1) {
    const middle = (low + high) >>> 1;
    if (starts[middle]! <= index) low = middle;
    else high = middle;
  }
  return low;
}

function hash(lo: number, hi: number): number {
  let h = Math.imul(lo ^ Math.imul(hi, 0x9e3779b1), 0x85ebca6b);
  h ^= h >>> 15;
  h = Math.imul(h, 0xc2b2ae35);
  return (h ^ (h >>> 13)) >>> 0;
}
