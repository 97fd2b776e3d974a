/** Message Label. */
import { type LabelTable, UnknownIn } from '../../../core/index.js';
import { asSigned } from './columns.js';
import { fieldNames, LabelField } from './fields.js';
import type { RowKernel } from './row-kernel.js';

export class LabelDecoder {
  readonly rows;
  /** How many labels had a string and a number: they lost the number. */
  ofBothKinds = 0;
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
    const key = this.#key.finish();
    const labels = {
      length: key.length,
      key,
      str: this.#str.finish(),
      num: asSigned(this.#num.finish()),
      numUnit: this.#unit.finish(),
    };
    this.ofBothKinds += keepOneKind(labels);
    return labels;
  }
}

/** profile.proto allows a label one of both; google/pprof takes the string where there is one. @returns how many had both */
function keepOneKind({ length, str, num, numUnit }: LabelTable): number {
  const halves = new Uint32Array(num.buffer, num.byteOffset, length * 2);
  let both = 0;
  for (let row = 0; row < length; row++) {
    if (str[row] === 0 || (halves[2 * row]! | halves[2 * row + 1]! | numUnit[row]!) === 0) continue;
    num[row] = 0n;
    numUnit[row] = 0;
    both++;
  }
  return both;
}
