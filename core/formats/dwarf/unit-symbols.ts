/** What one unit says of addresses: functions, inlined calls and lines, each read on first use. */
import { FormatError } from '../errors.js';
import { Form } from './constants.js';
import { type FunctionName, readFunctionName } from './function-names.js';
import { type FunctionTable, readFunctions } from './function-table.js';
import { type InlinedCall, InlinedCalls } from './inlined-calls.js';
import { type LinePlace, LineTable } from './line-table.js';
import type { Unit } from './unit.js';
import { readPartLength } from './unit-header.js';

/** One source-level frame. */
export interface DwarfFrame extends LinePlace {
  /** DW_AT_name where there is no linkage name, which may be a short one. */
  readonly function: string;
  /** The linker's name; the same as `function` where there is none. */
  readonly systemName: string;
  /** Line of the declaration; 0 when not known. */
  readonly startLine: number;
}

const NO_PLACE: LinePlace = { file: '', line: 0, column: 0 };
const NO_NAME: FunctionName = { name: '', linkageName: '', startLine: 0 };

/** What a name or frame that is kept takes in memory, about. */
const NAME_BYTES = 256;
const FRAME_BYTES = 96;

export class UnitSymbols {
  /** In the file itself: has the lines. */
  readonly #unit: Unit;
  /** The same or its split unit: has the functions. */
  readonly #code: Unit;
  readonly #onFault: (error: FormatError) => void;
  #calls: InlinedCalls;
  /** By row of the call: what was called, and the frame that it was called from, which are the same for every address. */
  #called: (FunctionName | undefined)[] = [];
  #callers: (DwarfFrame | undefined)[] = [];
  /** By position of the DIE in the unit. */
  readonly #names = new Map<number, FunctionName>();
  #functions: FunctionTable | FormatError | undefined;
  /** `null` for a unit without lines, or with ones that cannot be read. */
  #lines: LineTable | null | undefined;

  /** @param onFault is told of parts that are done without */
  constructor(unit: Unit, splitUnit: Unit | undefined, onFault: (error: FormatError) => void) {
    this.#unit = unit;
    this.#code = splitUnit ?? unit;
    this.#onFault = onFault;
    this.#calls = new InlinedCalls(this.#code);
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

  /**
   * Innermost first. @returns [] where there are lines but no function, though the unit has functions; undefined where it knows
   * nothing, or only lines @throws FormatError
   */
  framesAt(objectAddress: number): DwarfFrame[] | undefined {
    const { ranges, positions, ends } = this.functions;
    const row = ranges.find(objectAddress);
    if (row < 0) return ranges.length > 0 && this.lines?.find(objectAddress) ? [] : undefined;
    const number = ranges.owner(row);
    const position = positions[number]!;
    if (this.#calls.isFull) this.#forgetCalls();
    const calls = this.#calls.find(position, ends[number]!, objectAddress);
    const innermost = calls.at(-1);
    const name = innermost === undefined ? this.#name(position) : this.#calledName(innermost);
    const frames: DwarfFrame[] = [];
    addNamed(frames, makeFrame(name, this.lines?.find(objectAddress) ?? NO_PLACE));
    for (let index = calls.length - 1; index >= 0; index--) {
      addNamed(frames, this.#callers[calls[index]!] ?? this.#readCaller(calls, index, position));
    }
    return frames;
  }

  /** Line of an address, also where no function is. @throws FormatError for a path that cannot be read */
  placeAt(objectAddress: number): LinePlace | undefined {
    return this.lines?.find(objectAddress);
  }

  #forgetCalls(): void {
    this.#calls = new InlinedCalls(this.#code);
    this.#called = [];
    this.#callers = [];
  }

  /** The frame that a call was made from. @param calls outermost first @param position of the function's DIE */
  #readCaller(calls: readonly number[], index: number, position: number): DwarfFrame {
    const row = calls[index]!;
    const { file, line, column } = this.#calls.call(row);
    const name = index === 0 ? this.#name(position) : this.#calledName(calls[index - 1]!);
    const caller = makeFrame(name, { file: this.lines?.path(file) ?? '', line, column });
    this.#callers[row] = caller;
    this.#unit.file.hold(FRAME_BYTES);
    return caller;
  }

  #calledName(row: number): FunctionName {
    let name = this.#called[row];
    if (name === undefined) {
      name = this.#readCalledName(this.#calls.call(row));
      this.#called[row] = name;
    }
    return name;
  }

  #readCalledName({ originForm, origin }: InlinedCall): FunctionName {
    const reference = this.#code.reference(originForm, origin);
    if (reference === undefined) return NO_NAME;
    return reference.unit === this.#code ? this.#name(reference.position) : readFunctionName(reference);
  }

  #name(position: number): FunctionName {
    let name = this.#names.get(position);
    if (name === undefined) {
      name = readFunctionName({ unit: this.#code, position });
      this.#names.set(position, name);
      this.#unit.file.hold(NAME_BYTES);
    }
    return name;
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

/** A call of what has no name is part of its caller. */
function addNamed(frames: DwarfFrame[], frame: DwarfFrame): void {
  if (frame.function !== '') frames.push(frame);
}

function makeFrame({ name, linkageName, startLine }: FunctionName, { file, line, column }: LinePlace): DwarfFrame {
  const systemName = linkageName === '' ? name : linkageName;
  return { function: systemName, systemName, file, line, column, startLine };
}
