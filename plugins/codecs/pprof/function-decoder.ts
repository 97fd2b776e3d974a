/** Message Function. */
import { type FunctionTable, UnknownIn } from '../../../core/index.js';
import { asSigned } from './columns.js';
import { FunctionField, fieldNames, ProfileField } from './fields.js';
import type { RowKernel } from './row-kernel.js';

export class FunctionDecoder {
  readonly #rows;
  readonly ids;
  readonly #name;
  readonly #systemName;
  readonly #filename;
  readonly #startLine;

  constructor(kernel: RowKernel) {
    this.#rows = kernel.table(UnknownIn.function, fieldNames.function, ProfileField.function);
    this.ids = this.#rows.id(FunctionField.id, 'Profile.function');
    this.#name = this.#rows.string(FunctionField.name);
    this.#systemName = this.#rows.string(FunctionField.systemName);
    this.#filename = this.#rows.string(FunctionField.filename);
    this.#startLine = this.#rows.wide(FunctionField.startLine);
  }

  finish(): FunctionTable {
    return {
      length: this.#rows.length,
      id: this.ids.column,
      name: this.#name.finish(),
      systemName: this.#systemName.finish(),
      filename: this.#filename.finish(),
      startLine: asSigned(this.#startLine.finish()),
    };
  }
}
