/** One call of `pipe binary symbolize`: lines with addresses to answers, one each and in order, whatever is wrong with a line. */
import { existsSync } from 'node:fs';
import { openBinary } from '../../binary/open.js';
import type { Lookup } from '../../binary/symbols/chain.js';
import type { SymbolFrame } from '../../binary/symbols/source.js';
import { FormatError } from '../../formats/errors.js';
import { ExitCode } from '../exit-codes.js';
import { cannotRead } from '../files.js';
import { type Call, CallProblem } from '../verb.js';
import { type AnswerForm, Answers } from './answers.js';
import { NO_NUMBER, OUTSIDE } from './kernel-codes.js';
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
  readonly form: AnswerForm;
}

export class Session {
  readonly #call: Call;
  readonly #options: SessionOptions;
  readonly #answers: Answers;
  readonly #address: RegExp;
  readonly #targets = new Map<string, Target | CallProblem>();
  /** What was said on stderr: each thing once. */
  readonly #said = new Set<string>();

  /** @throws CallProblem when the file cannot be read */
  constructor(call: Call, options: SessionOptions) {
    this.#call = call;
    this.#options = options;
    this.#answers = new Answers(options.form);
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
   * Prints an answer for each line, in their order. Addresses are looked up in their own order: of debug information that is too large to be
   * held each part is read once then.
   * @param lines "0x401000", or "FILE:0x401000"; at least one, without the newline of the last
   */
  async answer(lines: Uint8Array): Promise<void> {
    const { file, isDecimal } = this.#options;
    const target = file === undefined ? undefined : this.#target(file);
    const base = target instanceof Target ? target.base : undefined;
    this.#answers.read(lines, isDecimal, base ?? 0n);
    if (file !== undefined) this.#answerNumbers(file);
    this.#answerTexts();
    for (const piece of this.#answers.pieces()) await this.#call.out.bytes(piece);
  }

  /** Why a word is no address as `answer` takes it; undefined for one that is. */
  problemOf(word: string): string | undefined {
    if (this.#parse(word) !== undefined) return undefined;
    const expected = this.#options.isDecimal ? 'decimal, or 0x…' : 'hexadecimal, with or without 0x';
    return `"${word}" is no address (${expected})`;
  }

  /** Lines that are numbers. */
  #answerNumbers(file: string): void {
    const answers = this.#answers;
    const target = this.#target(file);
    if (target instanceof Target) {
      if (target.base === undefined) this.#translate(target);
      for (let line = 0; line < answers.lineCount; ) {
        const rows = target.rowsAt(answers.addresses.subarray(line));
        if (rows === undefined) break;
        answers.addRows(line, rows);
        line += rows.counts.length;
      }
    }
    const addresses = answers.addresses.slice();
    const lines = answers.unanswered(true);
    if (!areInOrder(lines, addresses)) lines.sort((a, b) => addresses[a]! - addresses[b]!);
    let previous = -1;
    for (const line of lines) {
      if (addresses[line] === addresses[previous]) answers.answerAs(line, previous);
      else
        answers.answer(
          line,
          this.#frames(file, (found) => found.lookupObject(addresses[line]!)),
        );
      previous = line;
    }
  }

  /** Puts addresses of the file in place of runtime addresses. */
  #translate(target: Target): void {
    const { addresses } = this.#answers;
    for (let line = 0; line < addresses.length; line++) {
      if (addresses[line] !== NO_NUMBER) addresses[line] = target.objectAddress(this.#answers.address(line)) ?? OUTSIDE;
    }
  }

  /** All other lines. */
  #answerTexts(): void {
    const answers = this.#answers;
    const lines = answers.unanswered(false).map((line) => ({ line, text: answers.text(line).trim() }));
    if (this.#options.file === undefined) {
      lines.push(...answers.unanswered(true).map((line) => ({ line, text: answers.text(line) })));
    }
    lines.sort((a, b) => (a.text < b.text ? -1 : Number(a.text > b.text)));
    for (const { line, text } of lines) {
      const query = this.#parse(text);
      if (query === undefined) {
        this.#say(this.problemOf(text)!);
        answers.answerNone(line, text);
        continue;
      }
      const frames = this.#frames(query.file, (target) => target.lookup(query.address));
      answers.answer(line, frames, query.address);
    }
  }

  #parse(line: string): { readonly file: string; readonly address: bigint } | undefined {
    const { file, isDecimal } = this.#options;
    if (file !== undefined && this.#address.test(line)) return { file, address: parseNumber(line, isDecimal) };
    const named = fileAndAddress(line);
    return named && { file: named.file, address: BigInt(named.address) };
  }

  #frames(file: string, lookup: (target: Target) => Lookup): readonly SymbolFrame[] {
    const target = this.#target(file);
    if (target instanceof CallProblem) {
      this.#say(target.message);
      return NO_FRAMES;
    }
    const found = lookup(target);
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

function areInOrder(lines: readonly number[], addresses: Float64Array): boolean {
  return lines.every((line, row) => row === 0 || addresses[line]! >= addresses[lines[row - 1]!]!);
}

/** "FILE:0x401000", unless a file has that very name. */
export function fileAndAddress(word: string): { readonly file: string; readonly address: string } | undefined {
  const match = /^(.+):(0x0*[0-9a-f]{1,16})$/i.exec(word);
  return match === null || existsSync(word) ? undefined : { file: match[1]!, address: match[2]! };
}

function parseNumber(text: string, isDecimal: boolean): bigint {
  return BigInt(isDecimal || /^0x/i.test(text) ? text : `0x${text}`);
}
