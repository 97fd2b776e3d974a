/** The inlined calls of functions, read a function at a time and kept in columns. Source: DWARF 5, 3.3.8. */
import { FormatError } from '../errors.js';
import { defaultLimits } from '../limits.js';
import type { Abbreviation } from './abbreviation.js';
import { Tag } from './constants.js';
import { Field, FieldSet } from './field.js';
import { DieFields } from './field-plan.js';
import { skipAttributes } from './form.js';
import { RangeBuffer } from './range-list.js';
import type { Unit } from './unit.js';

/** Columns of a call. Its ranges are those from `firstRange` up to the next call's. */
const Column = {
  /** Behind the last call within this one. */
  next: 0,
  firstRange: 1,
  originForm: 2,
  origin: 3,
  file: 4,
  line: 5,
  column: 6,
} as const;
const COLUMNS = 7;

/** Rows of all functions that were read, before they are too many. */
const MAX_ROWS = 1 << 20;

/** A call that was inlined. */
export interface InlinedCall {
  /** Of the function that was called: a reference as `Unit.reference` takes it. */
  readonly originForm: number;
  readonly origin: number;
  /** Where it was called, by number in the line table. */
  readonly file: number;
  readonly line: number;
  readonly column: number;
}

export class InlinedCalls {
  readonly #unit: Unit;
  readonly #die = new DieFields();
  readonly #buffer = new RangeBuffer();
  #rows = new Uint32Array(64 * COLUMNS);
  #rowCount = 0;
  /** Beginnings and ends in turn. */
  #ranges = new Float64Array(128);
  #rangeCount = 0;
  /** Rows of a function, by the position of its DIE: the first and behind the last. */
  readonly #functions = new Map<number, readonly [first: number, end: number]>();

  constructor(unit: Unit) {
    this.#unit = unit;
  }

  /** Whether so much was read that it is better to begin anew. */
  get isFull(): boolean {
    return this.#rowCount > MAX_ROWS || this.#rangeCount > MAX_ROWS;
  }

  /**
   * Rows of the calls that hold an address, outermost first.
   * @param position of the function's DIE @throws FormatError for a spoilt function, E_LIMIT
   */
  find(position: number, objectAddress: number): number[] {
    let [row, end] = this.#read(position);
    const calls: number[] = [];
    while (row < end) {
      const next = this.#rows[row * COLUMNS + Column.next]!;
      if (!this.#holds(row, objectAddress)) {
        row = next;
        continue;
      }
      if (calls.length === defaultLimits.inlineDepth) {
        throw new FormatError('E_LIMIT', 'over the limit inlineDepth', {
          section: this.#unit.file.infoName,
          offset: this.#unit.encoding.offset + position,
          limit: defaultLimits.inlineDepth,
        });
      }
      calls.push(row++);
      end = next;
    }
    return calls;
  }

  call(row: number): InlinedCall {
    const rows = this.#rows;
    const at = row * COLUMNS;
    return {
      originForm: rows[at + Column.originForm]!,
      origin: rows[at + Column.origin]!,
      file: rows[at + Column.file]!,
      line: rows[at + Column.line]!,
      column: rows[at + Column.column]!,
    };
  }

  #holds(row: number, objectAddress: number): boolean {
    const ranges = this.#ranges;
    const at = row * COLUMNS + Column.firstRange;
    const end = row + 1 < this.#rowCount ? this.#rows[at + COLUMNS]! : this.#rangeCount;
    for (let range = this.#rows[at]!; range < end; range++) {
      if (ranges[range * 2]! <= objectAddress && objectAddress < ranges[range * 2 + 1]!) return true;
    }
    return false;
  }

  #read(position: number): readonly [first: number, end: number] {
    let rows = this.#functions.get(position);
    if (rows !== undefined) return rows;
    const first = this.#rowCount;
    const firstRange = this.#rangeCount;
    try {
      this.#readTree(position);
    } catch (error) {
      this.#rowCount = first;
      this.#rangeCount = firstRange;
      throw error;
    }
    rows = [first, this.#rowCount];
    this.#functions.set(position, rows);
    return rows;
  }

  #readTree(position: number): void {
    const { cursor, encoding, abbreviations } = this.#unit;
    const { dense } = abbreviations;
    const end = cursor.bytes.length;
    /** Of each open DIE, the row to close; −1 for one that is no call. */
    const open: number[] = [];
    cursor.position = position;
    do {
      const code = cursor.uleb();
      if (code === 0) {
        const row = open.pop()!;
        if (row >= 0) this.#rows[row * COLUMNS + Column.next] = this.#rowCount;
        continue;
      }
      const abbreviation = dense[code] ?? abbreviations.get(code);
      let row = -1;
      if (abbreviation.tag === Tag.inlinedSubroutine) row = this.#addCall(abbreviation);
      else if (abbreviation.fixedBytes >= 0) cursor.position += abbreviation.fixedBytes;
      else skipAttributes(cursor, abbreviation.skip, encoding);
      if (abbreviation.hasChildren) open.push(row);
    } while (open.length > 0 && cursor.position < end);
    cursor.check();
    if (open.length > 0) {
      throw new FormatError('E_TRUNCATED', 'function goes on behind the end of its unit', {
        section: cursor.section,
        offset: cursor.start + position,
        limit: cursor.start + end,
      });
    }
  }

  #addCall(abbreviation: Abbreviation): number {
    const die = this.#die;
    const buffer = this.#buffer;
    const unit = this.#unit;
    unit.readFields(abbreviation, FieldSet.call, die);
    unit.readRanges(die, buffer);
    const row = this.#rowCount++;
    if ((row + 1) * COLUMNS > this.#rows.length) this.#growRows();
    while (this.#rangeCount * 2 + buffer.length > this.#ranges.length) this.#growRanges();
    const at = row * COLUMNS;
    const rows = this.#rows;
    rows[at + Column.next] = row + 1;
    rows[at + Column.firstRange] = this.#rangeCount;
    rows[at + Column.originForm] = die.has(Field.origin) ? die.forms[Field.origin]! : 0;
    rows[at + Column.origin] = die.number(Field.origin);
    rows[at + Column.file] = die.number(Field.callFile);
    rows[at + Column.line] = die.number(Field.callLine);
    rows[at + Column.column] = die.number(Field.callColumn);
    for (let index = 0; index < buffer.length; index++)
      this.#ranges[this.#rangeCount * 2 + index] = buffer.values[index]!;
    this.#rangeCount += buffer.length / 2;
    return row;
  }

  #growRows(): void {
    const grown = new Uint32Array(this.#rows.length * 2);
    grown.set(this.#rows);
    this.#unit.file.hold(grown.byteLength - this.#rows.byteLength);
    this.#rows = grown;
  }

  #growRanges(): void {
    const grown = new Float64Array(this.#ranges.length * 2);
    grown.set(this.#ranges);
    this.#unit.file.hold(grown.byteLength - this.#ranges.byteLength);
    this.#ranges = grown;
  }
}
