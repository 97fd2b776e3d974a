/** The inlined calls of functions, which kernels/dwarf/calls.ts reads a function at a time, kept in columns. Source: DWARF 5, 3.3.8. */
import { FormatError } from '../errors.js';
import { defaultLimits } from '../limits.js';
import { CodeReader } from './code-reader.js';
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
/** Words of a CallRow of the kernel, which its code follows. */
const CALL_WORDS = 14;
const Word = { next: 0, originForm: 1, origin: 2, file: 3, line: 4, column: 5, code: 6 } as const;

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
   * @param position of the function's DIE @param behind all that is within it
   * @throws FormatError for a spoilt function, E_LIMIT
   */
  find(position: number, behind: number, objectAddress: number): number[] {
    let [row, end] = this.#read(position, behind);
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

  #read(position: number, behind: number): readonly [first: number, end: number] {
    let rows = this.#functions.get(position);
    if (rows !== undefined) return rows;
    const first = this.#rowCount;
    const firstRange = this.#rangeCount;
    try {
      this.#readFunction(position, behind);
    } catch (error) {
      this.#rowCount = first;
      this.#rangeCount = firstRange;
      throw error;
    }
    rows = [first, this.#rowCount];
    this.#functions.set(position, rows);
    return rows;
  }

  #readFunction(position: number, behind: number): void {
    const unit = this.#unit;
    const part = unit.cursor.bytes.subarray(position, behind);
    const { kernel, table, input } = unit.loadPart(position, part);
    kernel.exports.readCalls(table, input + part.length);
    const count = kernel.exports.callCount.value;
    const from = kernel.exports.callRows() >>> 2;
    const calls = kernel.words.slice(from, from + count * CALL_WORDS);
    const code = new CodeReader(unit, calls);
    const first = this.#rowCount;
    for (let call = 0; call < count; call++) this.#addCall(calls, call * CALL_WORDS, first, code);
  }

  /** @param at of the call's words in `calls` @param first row of the function */
  #addCall(calls: Uint32Array, at: number, first: number, code: CodeReader): void {
    const buffer = this.#buffer;
    code.read(at + Word.code, buffer);
    const row = this.#rowCount++;
    if ((row + 1) * COLUMNS > this.#rows.length) this.#growRows();
    while (this.#rangeCount * 2 + buffer.length > this.#ranges.length) this.#growRanges();
    const rows = this.#rows;
    const into = row * COLUMNS;
    rows[into + Column.next] = first + calls[at + Word.next]!;
    rows[into + Column.firstRange] = this.#rangeCount;
    rows[into + Column.originForm] = calls[at + Word.originForm]!;
    rows[into + Column.origin] = calls[at + Word.origin]!;
    rows[into + Column.file] = calls[at + Word.file]!;
    rows[into + Column.line] = calls[at + Word.line]!;
    rows[into + Column.column] = calls[at + Word.column]!;
    for (let index = 0; index < buffer.length; index++)
      this.#ranges[this.#rangeCount * 2 + index] = buffer.values[index]!;
    this.#rangeCount += buffer.length / 2;
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
