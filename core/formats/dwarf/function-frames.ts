/** The frames of a function and of the calls that were inlined into it, which are the same for every address in a call. */
import type { FunctionName } from './function-names.js';
import { InlinedCalls } from './inlined-calls.js';
import type { LinePlace, LineTable } from './line-table.js';
import type { Unit } from './unit.js';

/** One source-level frame. */
export interface DwarfFrame extends LinePlace {
  /** DW_AT_name where there is no linkage name, which may be a short one. */
  readonly function: string;
  /** The linker's name; the same as `function` where there is none. */
  readonly systemName: string;
  /** Line of the declaration; 0 when not known. */
  readonly startLine: number;
}

/** What is kept takes in memory, about: a frame, and a function. */
const FRAME_BYTES = 96;
const FUNCTION_BYTES = 320;

const NO_PLACE: LinePlace = { file: '', line: 0, column: 0 };
const NO_NAME: FunctionName = { systemName: '', startLine: 0 };
const NO_CALLS: readonly number[] = [];

export class FunctionFrames {
  readonly #unit: Unit;
  /** Of the function's DIE. */
  readonly #position: number;
  /** Undefined for a function that has none. */
  readonly #calls: InlinedCalls | undefined;
  /** By row of the call: what was called, and the frame that it was called from. */
  readonly #called: (FunctionName | undefined)[] = [];
  readonly #callers: (DwarfFrame | undefined)[] = [];

  /**
   * @param unit that has the function
   * @param behind all that is within the function; 0 where no calls were inlined into it @throws FormatError for a spoilt function
   */
  constructor(unit: Unit, position: number, behind: number) {
    this.#unit = unit;
    this.#position = position;
    this.#calls = behind === 0 ? undefined : new InlinedCalls(unit, position, behind);
  }

  get heldBytes(): number {
    return FUNCTION_BYTES + (this.#calls?.heldBytes ?? 0);
  }

  /** Frames at an address of the function, innermost first. @throws FormatError */
  at(objectAddress: number, lines: LineTable | undefined): DwarfFrame[] {
    const calls = this.#calls?.find(objectAddress) ?? NO_CALLS;
    const frames: DwarfFrame[] = [];
    addNamed(frames, makeFrame(this.#nameWithin(calls, calls.length), lines?.find(objectAddress) ?? NO_PLACE));
    for (let index = calls.length - 1; index >= 0; index--) {
      addNamed(frames, this.#callers[calls[index]!] ?? this.#readCaller(calls, index, lines));
    }
    return frames;
  }

  /** The frame that a call was made from. @param calls outermost first */
  #readCaller(calls: readonly number[], index: number, lines: LineTable | undefined): DwarfFrame {
    const row = calls[index]!;
    const { file, line, column } = this.#calls!.call(row);
    const caller = makeFrame(this.#nameWithin(calls, index), { file: lines?.path(file) ?? '', line, column });
    this.#callers[row] = caller;
    this.#unit.file.hold(FRAME_BYTES);
    return caller;
  }

  /** Of the function itself, or of what was called by the call before `index`. */
  #nameWithin(calls: readonly number[], index: number): FunctionName {
    if (index === 0) return this.#unit.names.at(this.#position);
    const row = calls[index - 1]!;
    this.#called[row] ??= this.#readCalledName(row);
    return this.#called[row];
  }

  #readCalledName(row: number): FunctionName {
    const { originForm, origin } = this.#calls!.call(row);
    const reference = this.#unit.reference(originForm, origin);
    return reference === undefined ? NO_NAME : reference.unit.names.at(reference.position);
  }
}

/** A call of what has no name is part of its caller. */
function addNamed(frames: DwarfFrame[], frame: DwarfFrame): void {
  if (frame.function !== '') frames.push(frame);
}

function makeFrame({ systemName, startLine }: FunctionName, { file, line, column }: LinePlace): DwarfFrame {
  return { function: systemName, systemName, file, line, column, startLine };
}
