/** Where the code of DIEs lies, out of the rows that the kernel wrote of them (kernels/dwarf/code.ts). */
import { Form } from './constants.js';
import { DieFields, Field } from './field.js';
import type { RangeBuffer } from './range-list.js';
import type { Unit } from './unit.js';

/** Filled anew for each DIE whose code is not one range. */
const die = new DieFields();

export class CodeReader {
  readonly #unit: Unit;
  readonly #words: Uint32Array;
  readonly #doubles: Float64Array;

  /** @param words of rows, from the beginning of their buffer on */
  constructor(unit: Unit, words: Uint32Array) {
    this.#unit = unit;
    this.#words = words;
    this.#doubles = new Float64Array(words.buffer, 0, words.length >>> 1);
  }

  /** Puts the code whose words begin at `at` in place of what is in `into`. @throws FormatError of range lists */
  read(at: number, into: RangeBuffer): void {
    into.length = 0;
    const forms = this.#words[at + 6]!;
    const lowForm = forms & 0xffff;
    const highForm = forms >>> 16;
    const rangesForm = this.#words[at + 7]! & 0xffff;
    if (lowForm + rangesForm === 0) return;
    const value = at >>> 1;
    const low = this.#doubles[value]!;
    const high = this.#doubles[value + 1]!;
    if (rangesForm === 0 && lowForm === Form.address && highForm === Form.address) {
      into.push(low, high);
      return;
    }
    die.present = 0;
    die.set(Field.lowPc, lowForm, low);
    die.set(Field.highPc, highForm, high);
    die.set(Field.ranges, rangesForm, this.#doubles[value + 2]!);
    this.#unit.readRanges(die, into);
  }
}
