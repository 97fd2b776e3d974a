/** Labels added to samples of a profile. */
import { rowColumn, signedColumn } from '../columns.js';
import type { LabelTable, SampleTable } from '../profile.js';

export interface EditedLabels {
  readonly labelStart: Uint32Array;
  readonly table: LabelTable;
  /** New row of a label of the base. */
  rowOf(baseRow: number): number;
}

export class LabelEdits {
  readonly #base: SampleTable;
  readonly #sample = rowColumn();
  readonly #key = rowColumn();
  readonly #str = rowColumn();
  readonly #num = signedColumn();
  readonly #numUnit = rowColumn();

  constructor(base: SampleTable) {
    this.#base = base;
  }

  get length(): number {
    return this.#sample.length;
  }

  add(sampleRow: number, key: number, str: number, num: bigint, numUnit: number): void {
    this.#sample.push(sampleRow);
    this.#key.push(key);
    this.#str.push(str);
    this.#num.push(num);
    this.#numUnit.push(numUnit);
  }

  finish(): EditedLabels {
    const { labelStart: baseStart, labels: base } = this.#base;
    if (this.length === 0) return { labelStart: baseStart, table: base, rowOf: (row) => row };

    const labelStart = this.#newStarts();
    const table = {
      length: base.length + this.length,
      key: new Uint32Array(base.length + this.length),
      str: new Uint32Array(base.length + this.length),
      num: new BigInt64Array(base.length + this.length),
      numUnit: new Uint32Array(base.length + this.length),
    };
    const moved = new Uint32Array(base.length);
    /** Next free row of each sample. */
    const free = labelStart.slice();
    for (let sample = 0; sample < this.#base.length; sample++) {
      for (let row = baseStart[sample]!; row < baseStart[sample + 1]!; row++) {
        const to = free[sample]!++;
        moved[row] = to;
        table.key[to] = base.key[row]!;
        table.str[to] = base.str[row]!;
        table.num[to] = base.num[row]!;
        table.numUnit[to] = base.numUnit[row]!;
      }
    }
    for (let added = 0; added < this.length; added++) {
      const to = free[this.#sample.at(added)]!++;
      table.key[to] = this.#key.at(added);
      table.str[to] = this.#str.at(added);
      table.num[to] = this.#num.at(added);
      table.numUnit[to] = this.#numUnit.at(added);
    }
    return { labelStart, table, rowOf: (row) => moved[row]! };
  }

  #newStarts(): Uint32Array {
    const { labelStart, length } = this.#base;
    const added = new Uint32Array(length);
    for (const sample of this.#sample.view()) added[sample]!++;
    const starts = new Uint32Array(length + 1);
    for (let sample = 0; sample < length; sample++) {
      starts[sample + 1] = starts[sample]! + labelStart[sample + 1]! - labelStart[sample]! + added[sample]!;
    }
    return starts;
  }
}
