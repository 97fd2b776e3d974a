/** The string table. */
import { FormatError, type StringTable } from '../../../core/index.js';
import { ProfileField } from './fields.js';
import { STRING_TABLE } from './kernel-codes.js';
import type { RowKernel } from './row-kernel.js';

export class StringDecoder {
  readonly #rows;
  readonly #starts;
  readonly #bytes;

  constructor(kernel: RowKernel) {
    this.#rows = kernel.table(STRING_TABLE, [], ProfileField.stringTable);
    this.#starts = this.#rows.ownStarts();
    this.#bytes = kernel.strings;
  }

  /** @throws FormatError E_STRING_TABLE */
  finish(): StringTable {
    const length = this.#rows.length;
    if (length === 0) throw new FormatError('E_STRING_TABLE', 'no string table', { section: 'Profile.string_table' });
    this.#starts.append(Uint32Array.of(this.#bytes.length));
    return { length, bytes: this.#bytes.finish(), starts: this.#starts.finish() };
  }
}
