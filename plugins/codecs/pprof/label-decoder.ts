/** Message Label. */
import { type LabelTable, UnknownIn } from '../../../core/index.js';
import { asSigned } from './columns.js';
import { fieldNames, LabelField } from './fields.js';
import type { RowKernel } from './row-kernel.js';

export class LabelDecoder {
  readonly rows;
  readonly #key;
  readonly #str;
  readonly #num;
  readonly #unit;

  constructor(kernel: RowKernel) {
    this.rows = kernel.table(UnknownIn.label, fieldNames.label);
    this.#key = this.rows.string(LabelField.key);
    this.#str = this.rows.string(LabelField.str);
    this.#num = this.rows.wide(LabelField.num);
    this.#unit = this.rows.string(LabelField.numUnit);
  }

  finish(): LabelTable {
    return {
      length: this.rows.length,
      key: this.#key.finish(),
      str: this.#str.finish(),
      num: asSigned(this.#num.finish()),
      numUnit: this.#unit.finish(),
    };
  }
}
