/** The rows of one table: counts them, and makes room for them in all its columns at once. */
import type { Budget } from '../../../core/index.js';
import { grownCapacity } from './columns.js';
import type { WireReader } from './wire-reader.js';

interface Column {
  reserve(rows: number, used: number): void;
}

export class TableRows {
  length = 0;
  /** Rows that every column has room for. */
  #capacity = 0;
  readonly #message: string;
  readonly #columns: readonly Column[];
  readonly #reader: WireReader;
  readonly #budget: Budget;

  /** @param message of a row in errors: "Profile.location" */
  constructor(message: string, columns: readonly Column[], reader: WireReader, budget: Budget) {
    this.#message = message;
    this.#columns = columns;
    this.#reader = reader;
    this.#budget = budget;
  }

  /**
   * Begins a row: what goes wrong from now on is said to be in it.
   * @param start of the row's message in the reader's bytes
   * @returns the row, which every column has room for
   * @throws FormatError E_LIMIT
   */
  begin(start: number, end: number): number {
    const reader = this.#reader;
    const row = this.length;
    reader.message = this.#message;
    reader.row = row;
    reader.pos = start;
    reader.len = end;
    if (row >= this.#capacity) this.#grow(row + 1);
    this.length = row + 1;
    return row;
  }

  /** Goes on with a row behind a message within it. @param end of the row's message */
  resume(row: number, end: number): void {
    const reader = this.#reader;
    reader.message = this.#message;
    reader.row = row;
    reader.len = end;
  }

  #grow(wanted: number): void {
    const { limits } = this.#budget;
    const { base, pos } = this.#reader;
    this.#budget.check('tableRows', wanted, { section: this.#message, offset: base + pos });
    this.#capacity = Math.min(grownCapacity(this.#capacity, wanted), limits.tableRows);
    // One more, for the end of the last row where a column has starts.
    for (const column of this.#columns) column.reserve(this.#capacity + 1, this.length);
  }

  /** How many rows there were; there are none now. */
  finish(): number {
    const { length } = this;
    this.length = 0;
    this.#capacity = 0;
    return length;
  }
}
