/** What one unit says of addresses: functions, inlined calls and lines, each read on first use. */
import { FormatError } from '../errors.js';
import { Form } from './constants.js';
import { type DwarfFrame, FunctionFrames } from './function-frames.js';
import { type FunctionTable, readFunctions } from './function-table.js';
import { hasLineProgram } from './line-header.js';
import { type LinePlace, LineTable } from './line-table.js';
import type { Unit } from './unit.js';
import { readPartLength } from './unit-header.js';

/** Of one unit, which may be as large as a program. */
const MAX_FRAMES_BYTES = 1 << 25;
/** Up to the length of a line program's header. */
const MAX_LINE_BEGINNING_BYTES = 32;

export class UnitSymbols {
  /** In the file itself: has the lines. */
  readonly #unit: Unit;
  /** The same or its split unit: has the functions. */
  readonly #code: Unit;
  readonly #onFault: (error: FormatError) => void;
  /** By number of the function. */
  readonly #frames = new Map<number, FunctionFrames>();
  #framesBytes = 0;
  #functions: FunctionTable | FormatError | undefined;
  /** `null` for a unit without lines, or with ones that cannot be read. */
  #lines: LineTable | null | undefined;

  /** @param onFault is told of parts that are done without */
  constructor(unit: Unit, splitUnit: Unit | undefined, onFault: (error: FormatError) => void) {
    this.#unit = unit;
    this.#code = splitUnit ?? unit;
    this.#onFault = onFault;
  }

  /** @throws FormatError for spoilt functions */
  get functions(): FunctionTable {
    this.#functions ??= this.#readFunctions();
    if (this.#functions instanceof FormatError) throw this.#functions;
    return this.#functions;
  }

  get lines(): LineTable | undefined {
    if (this.#lines === undefined) this.#lines = this.#readLines() ?? null;
    return this.#lines ?? undefined;
  }

  /** Beginnings and ends of the code that has lines. */
  get sequences(): Iterable<readonly [start: number, end: number]> {
    return (this.#hasLineProgram() && this.lines?.sequences()) || [];
  }

  /**
   * Innermost first. @returns [] where there are lines but no function, though the unit has functions; undefined where it knows
   * nothing, or only lines @throws FormatError
   */
  framesAt(objectAddress: number): DwarfFrame[] | undefined {
    const { ranges } = this.functions;
    const row = ranges.find(objectAddress);
    if (row < 0) return ranges.length > 0 && this.lines?.find(objectAddress) ? [] : undefined;
    return this.#framesOf(ranges.owner(row)).at(objectAddress, this.lines);
  }

  /** Line of an address, also where no function is. @throws FormatError for a path that cannot be read */
  placeAt(objectAddress: number): LinePlace | undefined {
    return this.lines?.find(objectAddress);
  }

  #framesOf(number: number): FunctionFrames {
    let frames = this.#frames.get(number);
    if (frames === undefined) {
      const { positions, ends } = this.functions;
      frames = new FunctionFrames(this.#code, positions[number]!, ends[number]!);
      if (this.#framesBytes > MAX_FRAMES_BYTES) this.#forgetFrames();
      this.#frames.set(number, frames);
      this.#framesBytes += frames.heldBytes;
      this.#unit.file.hold(frames.heldBytes);
    }
    return frames;
  }

  #forgetFrames(): void {
    this.#frames.clear();
    this.#framesBytes = 0;
  }

  #readFunctions(): FunctionTable | FormatError {
    try {
      const functions = readFunctions(this.#code);
      this.#unit.file.hold(functions.ranges.heldBytes + functions.positions.byteLength * 2);
      return functions;
    } catch (error) {
      if (error instanceof FormatError) return error;
      throw error;
    }
  }

  /** Also of one that is spoilt: whoever reads it says so. */
  #hasLineProgram(): boolean {
    const { file, lineTableOffset } = this.#unit;
    if (lineTableOffset === undefined) return false;
    try {
      const section = file.need('.debug_line');
      return hasLineProgram(section.cursorAt(lineTableOffset, MAX_LINE_BEGINNING_BYTES), section.size);
    } catch (error) {
      if (error instanceof FormatError) return true;
      throw error;
    }
  }

  #readLines(): LineTable | undefined {
    const { file, lineTableOffset, encoding, compilationFolder } = this.#unit;
    if (lineTableOffset === undefined) return undefined;
    try {
      const section = file.need('.debug_line');
      const { end } = readPartLength(section.cursorAt(lineTableOffset, 12), section.size);
      const cursor = section.cursorAt(lineTableOffset, end - lineTableOffset);
      const bytes = cursor.bytes.subarray(cursor.position, cursor.position + end - lineTableOffset);
      const textAt = (form: number, value: number) =>
        form === Form.string ? '' : (this.#unit.textOf(form, value) ?? '');
      const lines = new LineTable(
        bytes,
        lineTableOffset,
        encoding.addressBytes,
        file.imageBase,
        compilationFolder,
        textAt,
      );
      file.hold(lines.heldBytes);
      return lines;
    } catch (error) {
      if (!(error instanceof FormatError)) throw error;
      this.#onFault(error);
      return undefined;
    }
  }
}
