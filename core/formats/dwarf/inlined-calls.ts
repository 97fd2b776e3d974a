/** The inlined calls of functions, which kernels/dwarf/calls.ts reads a function at a time. Source: DWARF 5, 3.3.8. */
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

/** What arrays take in memory besides what is in them, about. */
const OBJECT_BYTES = 768;

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

/** Those of one function, outer ones before those within. */
export class InlinedCalls {
  readonly #unit: Unit;
  readonly #position: number;
  #rows: Uint32Array = new Uint32Array(0);
  /** Beginnings and ends in turn. */
  #ranges: Float64Array = new Float64Array(0);

  /** @param position of the function's DIE @param behind all that is within it @throws FormatError for a spoilt function */
  constructor(unit: Unit, position: number, behind: number) {
    this.#unit = unit;
    this.#position = position;
    this.#read(behind);
  }

  get heldBytes(): number {
    return OBJECT_BYTES + this.#rows.byteLength + this.#ranges.byteLength;
  }

  /** Rows of the calls that hold an address, outermost first. @throws FormatError E_LIMIT */
  find(objectAddress: number): number[] {
    const calls: number[] = [];
    let end = this.#rows.length / COLUMNS;
    for (let row = 0; row < end; ) {
      const next = this.#rows[row * COLUMNS + Column.next]!;
      if (!this.#holds(row, objectAddress)) {
        row = next;
        continue;
      }
      if (calls.length === defaultLimits.inlineDepth) {
        throw new FormatError('E_LIMIT', 'over the limit inlineDepth', {
          section: this.#unit.file.infoName,
          offset: this.#unit.encoding.offset + this.#position,
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
    const rows = this.#rows;
    const ranges = this.#ranges;
    const at = row * COLUMNS + Column.firstRange;
    const end = at + COLUMNS < rows.length ? rows[at + COLUMNS]! * 2 : ranges.length;
    for (let range = rows[at]! * 2; range < end; range += 2) {
      if (ranges[range]! <= objectAddress && objectAddress < ranges[range + 1]!) return true;
    }
    return false;
  }

  #read(behind: number): void {
    const unit = this.#unit;
    const position = this.#position;
    const { kernel, table, start } = unit.load(position, behind);
    const { exports } = kernel;
    kernel.useRangeLists(unit.kernelRangeLists);
    exports.readCalls(table, start, start + (behind - position));
    const from = exports.callRows() >>> 2;
    this.#rows = kernel.words.slice(from, from + exports.callCount.value * COLUMNS);
    this.#ranges = exports.areRangesMissing.value === 0 ? rangesOf(kernel) : this.#readRanges(kernel);
  }

  /** Of which some are in other sections. @throws FormatError of range lists */
  #readRanges(kernel: DwarfKernel): Float64Array {
    const from = kernel.exports.callCodes() >>> 2;
    const calls = this.#rows.length / COLUMNS;
    const code = new CodeReader(this.#unit, kernel.words.slice(from, from + calls * CODE_WORDS));
    const buffer = new RangeBuffer();
    const ranges: number[] = [];
    for (let call = 0; call < calls; call++) {
      code.read(call * CODE_WORDS, buffer);
      this.#rows[call * COLUMNS + Column.firstRange] = ranges.length / 2;
      for (let index = 0; index < buffer.length; index++) ranges.push(buffer.values[index]!);
    }
    return Float64Array.from(ranges);
  }
}

/** Those that the kernel made. */
function rangesOf({ exports, doubles }: DwarfKernel): Float64Array {
  const from = exports.codeRanges() >>> 3;
  return doubles.slice(from, from + exports.codeRangeCount.value * 2);
}
