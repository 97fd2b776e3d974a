/** The samples that the stage puts in the place of a profile's own: rows of columns whose size is known before. */
import { halves, type LabelTable, type Profile, type SampleTable } from '../../../core/index.js';

/** Which samples a new one has its labels from: a row of the profile, or none. */
export const NO_LABELS = -1;

export class SampleRows {
  length = 0;
  readonly #base: Profile;
  readonly #types: number;
  readonly #stackStart: Uint32Array;
  readonly #stackLocations: Uint32Array;
  readonly #values: BigInt64Array;
  readonly #halves: Uint32Array;
  readonly #labelsOf: Int32Array;
  #entries = 0;

  /** @param rows and @param entries (locations of their stacks) that there will be at most @param types values a row */
  constructor(base: Profile, rows: number, entries: number, types: number) {
    this.#base = base;
    this.#types = types;
    this.#stackStart = new Uint32Array(rows + 1);
    this.#stackLocations = new Uint32Array(entries);
    this.#values = new BigInt64Array(rows * types);
    this.#halves = halves(this.#values);
    this.#labelsOf = new Int32Array(rows);
  }

  /** One more location of the row that is begun: leaf first. */
  push(location: number): void {
    this.#stackLocations[this.#entries++] = location;
  }

  /** Ends the row. @param labelsOf sample of the base whose labels it has, or NO_LABELS @returns its number */
  end(labelsOf: number): number {
    const row = this.length++;
    this.#stackStart[row + 1] = this.#entries;
    this.#labelsOf[row] = labelsOf;
    return row;
  }

  /** @param value an integer of less than 2^53 */
  set(row: number, type: number, value: number): void {
    const word = 2 * (row * this.#types + type);
    this.#halves[word] = value >>> 0;
    this.#halves[word + 1] = Math.floor(value / 2 ** 32);
  }

  add(row: number, type: number, value: bigint): void {
    this.#values[row * this.#types + type]! += value;
  }

  finish(): SampleTable {
    const { length } = this;
    return {
      length,
      stackStart: this.#stackStart.slice(0, length + 1),
      stackLocations: this.#stackLocations.slice(0, this.#entries),
      values: this.#values.slice(0, length * this.#types),
      ...this.#labels(),
    };
  }

  #labels(): { labelStart: Uint32Array; labels: LabelTable } {
    const { labelStart: from, labels } = this.#base.samples;
    const labelStart = new Uint32Array(this.length + 1);
    for (let row = 0; row < this.length; row++) {
      const sample = this.#labelsOf[row]!;
      labelStart[row + 1] = labelStart[row]! + (sample === NO_LABELS ? 0 : from[sample + 1]! - from[sample]!);
    }
    const length = labelStart[this.length]!;
    const copy = {
      length,
      key: new Uint32Array(length),
      str: new Uint32Array(length),
      num: new BigInt64Array(length),
      numUnit: new Uint32Array(length),
    };
    for (let row = 0; row < this.length && length > 0; row++) {
      const at = labelStart[row]!;
      if (at === labelStart[row + 1]) continue;
      const start = from[this.#labelsOf[row]!]!;
      const end = from[this.#labelsOf[row]! + 1]!;
      copy.key.set(labels.key.subarray(start, end), at);
      copy.str.set(labels.str.subarray(start, end), at);
      copy.num.set(labels.num.subarray(start, end), at);
      copy.numUnit.set(labels.numUnit.subarray(start, end), at);
    }
    return { labelStart, labels: copy };
  }
}
