/** One call of `pipe binary symbolize`: lines with addresses to answers, one each and in order, whatever is wrong with a line. */
import { existsSync } from 'node:fs';
import { openBinary } from '../../binary/open.js';
import { FormatError } from '../../formats/errors.js';
import { ExitCode } from '../exit-codes.js';
import { cannotRead } from '../files.js';
import { type Call, CallProblem } from '../verb.js';
import type { Answers } from './answer.js';
import { type Placement, Target } from './target.js';

const NO_FRAMES: readonly never[] = [];
/** Files that are open at a time. */
const MAX_TARGETS = 16;

export interface SessionOptions {
  /** Of lines that name no file; undefined when every line must. */
  readonly file: string | undefined;
  readonly placement: Placement;
  /** Whether numbers without 0x are decimal. */
  readonly isDecimal: boolean;
  readonly demangle: (name: string) => string;
  readonly debugFolders: readonly string[];
  readonly answers: Answers;
}

export class Session {
  readonly #call: Call;
  readonly #options: SessionOptions;
  readonly #address: RegExp;
  readonly #targets = new Map<string, Target | CallProblem>();
  /** What was said on stderr: each thing once. */
  readonly #said = new Set<string>();

  /** @throws CallProblem when the file cannot be read */
  constructor(call: Call, options: SessionOptions) {
    this.#call = call;
    this.#options = options;
    this.#address = options.isDecimal ? /^(?:0x0*[0-9a-f]{1,16}|0*\d{1,20})$/i : /^(?:0x)?0*[0-9a-f]{1,16}$/i;
    if (options.file === undefined) return;
    const target = this.#target(options.file);
    if (target instanceof CallProblem) throw target;
  }

  /** Says what was found on the way. @returns 20 when a line could not be answered, or tables could not be read or were not there at all */
  finish(): number {
    for (const file of this.#targets.keys()) this.#sayFaults(file);
    return this.#said.size === 0 ? ExitCode.ok : ExitCode.badInput;
  }

  /**
   * Prints an answer for each line, in their order. They are looked up in order of address: of debug information that is too large to be
   * held each part is read once then.
   * @param lines "0x401000", or "FILE:0x401000"
   */
  async answer(lines: readonly string[]): Promise<void> {
    const { out } = this.#call;
    const texts = areInOrder(lines) ? undefined : this.#textsOf(lines);
    for (const line of lines) {
      out.exactly(texts?.get(line) ?? this.#textOf(line));
      if (out.isFull) await out.drained();
    }
  }

  /** Whether a word is an address as `answer` takes it. */
  isAddress(word: string): boolean {
    return this.#parse(word) !== undefined;
  }

  /** Text sorts numbers with as many digits, and of one file: those of a part come one after the other, which is enough. */
  #textsOf(lines: readonly string[]): Map<string, string> {
    const texts = new Map<string, string>();
    for (const line of lines.toSorted()) if (!texts.has(line)) texts.set(line, inOnePiece(this.#textOf(line)));
    return texts;
  }

  #textOf(line: string): string {
    const { answers, isDecimal } = this.#options;
    const query = this.#parse(line.trim());
    if (query !== undefined) return answers.frames(query.address, this.#frames(query.file, query.address));
    this.#say(`"${line.trim()}" is no address (${isDecimal ? 'decimal, or 0x…' : 'hexadecimal, with or without 0x'})`);
    return answers.none(line.trim());
  }

  #parse(line: string): { readonly file: string; readonly address: bigint } | undefined {
    const { file, isDecimal } = this.#options;
    if (file !== undefined && this.#address.test(line)) return { file, address: parseNumber(line, isDecimal) };
    const named = fileAndAddress(line);
    return named && { file: named.file, address: BigInt(named.address) };
  }

  #frames(file: string, address: bigint) {
    const target = this.#target(file);
    if (target instanceof CallProblem) {
      this.#say(target.message);
      return NO_FRAMES;
    }
    const found = target.lookup(address);
    if (found.frames !== undefined) return found.frames;
    if (found.error !== undefined) this.#say(`${file}: ${found.error.describe()}`);
    if (found.reason === 'no_symbols') this.#say(`${file}: no symbols of any kind in this file`);
    return NO_FRAMES;
  }

  #target(file: string): Target | CallProblem {
    let target = this.#targets.get(file);
    if (target !== undefined) return target;
    try {
      const { placement, demangle, debugFolders } = this.#options;
      target = new Target(openBinary(file, undefined, { folders: debugFolders }), placement, demangle);
    } catch (error) {
      target =
        error instanceof FormatError
          ? new CallProblem(error.code, `${file}: ${error.describe()}`, ExitCode.badInput)
          : cannotRead(file, error);
    }
    if (this.#targets.size === MAX_TARGETS) {
      const oldest = this.#targets.keys().next().value!;
      this.#sayFaults(oldest);
      const released = this.#targets.get(oldest);
      if (released instanceof Target) released.release();
      this.#targets.delete(oldest);
    }
    this.#targets.set(file, target);
    return target;
  }

  #sayFaults(file: string): void {
    const target = this.#targets.get(file);
    if (target instanceof Target) for (const fault of target.faults) this.#say(`${file}: ${fault}`);
  }

  #say(message: string): void {
    if (this.#said.has(message)) return;
    this.#said.add(message);
    this.#call.err.line({ text: 'pipe: ', style: 'red' }, message);
    this.#call.err.flush();
  }
}

/** V8 keeps a text that was put together as a tree of its parts, which takes several times its size. */
function inOnePiece(text: string): string {
  return Buffer.from(text).toString();
}

/** Whether addresses of one file come in their order, as far as that is seen without reading them. */
function areInOrder(lines: readonly string[]): boolean {
  let previous = '';
  for (const line of lines) {
    if (line.length < previous.length || (line.length === previous.length && line < previous)) return false;
    previous = line;
  }
  return true;
}

/** "FILE:0x401000", unless a file has that very name. */
export function fileAndAddress(word: string): { readonly file: string; readonly address: string } | undefined {
  const match = /^(.+):(0x0*[0-9a-f]{1,16})$/i.exec(word);
  return match === null || existsSync(word) ? undefined : { file: match[1]!, address: match[2]! };
}

function parseNumber(text: string, isDecimal: boolean): bigint {
  return BigInt(isDecimal || /^0x/i.test(text) ? text : `0x${text}`);
}
