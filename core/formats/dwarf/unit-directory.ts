/** Where units begin in `.debug_info`, found by going from header to header, as far as is asked for. */
import { FormatError } from '../errors.js';
import type { ByteSource } from '../source.js';
import { readUnitEnd } from './unit-header.js';

export class UnitDirectory {
  readonly #info: ByteSource;
  readonly #section: string;
  /** Beginnings, increasing. */
  readonly #starts: number[] = [];
  #end = 0;
  #fault: FormatError | undefined;

  constructor(info: ByteSource, section: string) {
    this.#info = info;
    this.#section = section;
  }

  /** Behind the last unit that was found. */
  get end(): number {
    return this.#end;
  }

  /** What ended the list before the end of the section. */
  get fault(): FormatError | undefined {
    return this.#fault;
  }

  /** All beginnings. */
  all(): readonly number[] {
    while (this.#readNext());
    return this.#starts;
  }

  /** Beginning of the unit that holds an offset; undefined when none does. */
  containing(offset: number): number | undefined {
    while (this.#end <= offset) if (!this.#readNext()) return undefined;
    let from = 0;
    let to = this.#starts.length;
    while (to - from > 1) {
      const middle = (from + to) >>> 1;
      if (this.#starts[middle]! <= offset) from = middle;
      else to = middle;
    }
    return this.#starts[from];
  }

  #readNext(): boolean {
    if (this.#fault !== undefined || this.#end >= this.#info.size) return false;
    try {
      const end = readUnitEnd(this.#info, this.#end, this.#section);
      this.#starts.push(this.#end);
      this.#end = end;
      return true;
    } catch (error) {
      if (!(error instanceof FormatError)) throw error;
      this.#fault = error;
      return false;
    }
  }
}
