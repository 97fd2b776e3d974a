/** The string table. */
import { type Budget, FormatError, type StringTable } from '../../../core/index.js';
import { ByteColumn, IntegerColumn } from './columns.js';
import { TableRows } from './table-rows.js';
import type { WireReader } from './wire-reader.js';

const MESSAGE = 'Profile.string_table';

export class StringDecoder {
  readonly #rows: TableRows;
  readonly #reader: WireReader;
  readonly #budget: Budget;
  readonly #bytes = new ByteColumn();
  readonly #starts = new IntegerColumn();

  constructor(reader: WireReader, budget: Budget) {
    this.#reader = reader;
    this.#budget = budget;
    this.#rows = new TableRows(MESSAGE, [this.#starts], reader, budget);
  }

  /** The string in the reader's bytes from `start` to `end`. @throws FormatError */
  decode(start: number, end: number): void {
    const reader = this.#reader;
    const row = this.#rows.begin(start, end);
    const length = end - start;
    if (length > this.#budget.limits.stringBytes) {
      this.#budget.check('stringBytes', length, { section: `${MESSAGE}[${row}]`, offset: reader.base + start });
    }
    if (row === 0 && length > 0) throw reader.fail('E_STRING_TABLE', 'string 0 is not empty', { got: length });
    this.#starts.data[row] = this.#bytes.length;
    this.#bytes.append(reader.buf, reader.words, start, end);
  }

  /** @throws FormatError E_STRING_TABLE */
  finish(): StringTable {
    const length = this.#rows.finish();
    if (length === 0) throw new FormatError('E_STRING_TABLE', 'no string table', { section: MESSAGE });
    this.#starts.data[length] = this.#bytes.length;
    return { length, bytes: this.#bytes.finish(this.#bytes.length), starts: this.#starts.finish(length + 1) };
  }
}
