/** The inlined calls of functions, which kernels/dwarf/calls.ts reads a function at a time, kept in columns. Source: DWARF 5, 3.3.8. */
import { FormatError } from '../errors.js';
import { defaultLimits } from '../limits.js';
import { CodeReader } from './code-reader.js';
import type { DwarfKernel } from './kernel.js';
import { RangeBuffer } from './range-list.js';
import type { Unit } from './unit.js';

/** Columns of a call, as the kernel's CallRow has them. Its ranges are those from `firstRange` up to the next call's. */
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
/** Of a call's code, as the kernel has it for ranges that it cannot make. */
const CODE_WORDS = 8;

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
    const { exports } = kernel;
    kernel.useRangeLists(unit.kernelRangeLists);
    exports.readCalls(table, input + part.length, this.#rowCount, this.#rangeCount);
    const count = exports.callCount.value;
    const from = exports.callRows() >>> 2;
    const first = this.#rowCount;
    while ((first + count) * COLUMNS > this.#rows.length) this.#growRows();
    this.#rows.set(kernel.words.subarray(from, from + count * COLUMNS), first * COLUMNS);
    this.#rowCount += count;
    if (exports.areRangesMissing.value === 0) this.#takeRanges(kernel);
    else this.#readRanges(kernel, first);
  }

  /** Those that the kernel made. */
  #takeRanges({ exports, doubles }: DwarfKernel): void {
    const count = exports.codeRangeCount.value;
    const from = exports.codeRanges() >>> 3;
    while ((this.#rangeCount + count) * 2 > this.#ranges.length) this.#growRanges();
    this.#ranges.set(doubles.subarray(from, from + count * 2), this.#rangeCount * 2);
    this.#rangeCount += count;
  }

  /** Those of rows from `first` on, of which some are in other sections. */
  #readRanges(kernel: DwarfKernel, first: number): void {
    const from = kernel.exports.callCodes() >>> 2;
    const calls = this.#rowCount - first;
    const code = new CodeReader(this.#unit, kernel.words.slice(from, from + calls * CODE_WORDS));
    const buffer = this.#buffer;
    for (let call = 0; call < calls; call++) {
      code.read(call * CODE_WORDS, buffer);
      this.#rows[(first + call) * COLUMNS + Column.firstRange] = this.#rangeCount;
      while (this.#rangeCount * 2 + buffer.length > this.#ranges.length) this.#growRanges();
      this.#ranges.set(buffer.values.subarray(0, buffer.length), this.#rangeCount * 2);
      this.#rangeCount += buffer.length / 2;
    }
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
