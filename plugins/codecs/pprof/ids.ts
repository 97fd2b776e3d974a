/**
 * Ids of profile.proto: any 64-bit numbers but 0, met before or after the rows that they name. References keep them as they come,
 * and are turned into rows at the end.
 */
import { FormatError, halves, type IdColumn } from '../../../core/index.js';
import { Column, type Loan, SparseColumn } from './columns.js';

/** References by id. */
export class ReferenceColumn {
  /** The low half less one (modulo 2^32): for dense ids that is the row already, and NO_ROW is what id 0 becomes. */
  readonly rows: Column<Uint32Array>;
  /** High halves, only if any is not 0. */
  readonly high = new SparseColumn(Uint32Array);
  /** No entry of `rows` is larger, as unsigned numbers. */
  max = 0;

  constructor(loan: Loan) {
    this.rows = new Column(Uint32Array, loan);
  }

  clear(): void {
    this.rows.clear();
    this.high.clear();
    this.max = 0;
  }
}

/** Ids of a table's rows. */
export class IdTable {
  length = 0;
  /** Absent as long as row r has id r + 1 for all rows: so it is with nearly every writer. */
  #growing: Column<BigUint64Array> | undefined;
  /** The same, once all rows are there. */
  #ids: BigUint64Array | undefined;
  #halves: Uint32Array | undefined;
  /** Message name in errors: "Profile.location". */
  readonly #message: string;
  /** Open addressing: row + 1, 0 where free. Absent for dense ids. */
  #slots: Uint32Array | undefined;

  constructor(message: string) {
    this.#message = message;
  }

  append(ids: BigUint64Array): void {
    if (this.#growing === undefined) {
      this.#growing = new Column(BigUint64Array);
      this.#growing.append(BigUint64Array.from({ length: this.length }, (_, row) => BigInt(row + 1)));
    }
    this.#growing.append(ids);
    this.length += ids.length;
  }

  /** Makes the table ready for `find`. @throws FormatError E_ID_ZERO, E_ID_TWICE */
  index(): void {
    this.#ids = this.#growing?.finish();
    if (this.#ids === undefined) return;
    const ids = halves(this.#ids);
    let capacity = 16;
    while (capacity < this.length * 2) capacity *= 2;
    const slots = new Uint32Array(capacity);
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
    this.#halves = ids;
    this.#slots = slots;
  }

  /** Row of an id; −1 if there is none. */
  find(lo: number, hi: number): number {
    const slots = this.#slots;
    const ids = this.#halves;
    if (slots === undefined || ids === undefined) return hi === 0 && lo <= this.length ? lo - 1 : -1;
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
    const { length } = references.rows;
    const rows = references.rows.finish();
    const high = references.high.finish(length);
    const isDense = high === undefined && this.#ids === undefined;
    if (isDense && max < this.length) return rows;
    for (let i = 0; i < length; i++) {
      const lo = (rows[i]! + 1) >>> 0;
      const hi = high === undefined ? 0 : high[i]!;
      if (lo === 0 && hi === 0 && zeroIsNoRow) continue;
      const row = this.find(lo, hi);
      if (row < 0) throw onMissing(i, (BigInt(hi) << 32n) | BigInt(lo));
      rows[i] = row;
    }
    return rows;
  }

  /** The column as Profile wants it. */
  get column(): IdColumn {
    return this.#ids;
  }

  clear(): void {
    this.length = 0;
    this.#growing = undefined;
    this.#ids = undefined;
    this.#halves = undefined;
    this.#slots = undefined;
  }

  #fail(code: string, message: string, row: number): FormatError {
    const got = this.#ids![row];
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
