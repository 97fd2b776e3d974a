/** One call of `pipe binary symbolize`: lines with addresses to answers, one each and in their order, whatever is wrong with a line. */
import { existsSync } from 'node:fs';
import { openBinary } from '../../binary/open.js';
import type { Lookup } from '../../binary/symbols/chain.js';
import type { SymbolFrame } from '../../binary/symbols/source.js';
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

interface Query {
  readonly file: string;
  readonly address: bigint;
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

  /** @param lines "0x401000", or "FILE:0x401000"; all are looked up before the first is answered */
  async answer(lines: readonly string[]): Promise<void> {
    const { out } = this.#call;
    const { answers } = this.#options;
    const queries = lines.map((line) => this.#parse(line.trim()));
    const found = this.#lookupAll(queries);
    for (const [row, query] of queries.entries()) {
      out.exactly(
        query === undefined
          ? answers.none(this.#refuse(lines[row]!.trim()))
          : answers.frames(query.address, this.#frames(query.file, found[row]!)),
      );
      if (out.isFull) await out.drained();
    }
  }

  /** Whether a word is an address as `answer` takes it. */
  isAddress(word: string): boolean {
    return this.#parse(word) !== undefined;
  }

  #parse(line: string): Query | undefined {
    const { file, isDecimal } = this.#options;
    if (file !== undefined && this.#address.test(line)) return { file, address: parseNumber(line, isDecimal) };
    const named = fileAndAddress(line);
    return named && { file: named.file, address: BigInt(named.address) };
  }

  /** By row of the queries, which are looked up file by file. */
  #lookupAll(queries: readonly (Query | undefined)[]): (Lookup | CallProblem | undefined)[] {
    const rowsOf = new Map<string, number[]>();
    for (const [row, query] of queries.entries()) {
      if (query === undefined) continue;
      const rows = rowsOf.get(query.file);
      if (rows === undefined) rowsOf.set(query.file, [row]);
      else rows.push(row);
    }
    const found = new Array<Lookup | CallProblem | undefined>(queries.length);
    for (const [file, rows] of rowsOf) {
      const target = this.#target(file);
      const isProblem = target instanceof CallProblem;
      const lookups = isProblem ? [] : target.lookupAll(rows.map((row) => queries[row]!.address));
      for (const [index, row] of rows.entries()) found[row] = isProblem ? target : lookups[index]!;
    }
    return found;
  }

  #frames(file: string, found: Lookup | CallProblem): readonly SymbolFrame[] {
    if (found instanceof CallProblem) {
      this.#say(found.message);
      return NO_FRAMES;
    }
    if (found.frames !== undefined) return found.frames;
    if (found.error !== undefined) this.#say(`${file}: ${found.error.describe()}`);
    if (found.reason === 'no_symbols') this.#say(`${file}: no symbols of any kind in this file`);
    return NO_FRAMES;
  }

  /** @returns the line */
  #refuse(line: string): string {
    this.#say(
      `"${line}" is no address (${this.#options.isDecimal ? 'decimal, or 0x…' : 'hexadecimal, with or without 0x'})`,
    );
    return line;
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

/** "FILE:0x401000", unless a file has that very name. */
export function fileAndAddress(word: string): { readonly file: string; readonly address: string } | undefined {
  const match = /^(.+):(0x0*[0-9a-f]{1,16})$/i.exec(word);
  return match === null || existsSync(word) ? undefined : { file: match[1]!, address: match[2]! };
}

function parseNumber(text: string, isDecimal: boolean): bigint {
  return BigInt(isDecimal || /^0x/i.test(text) ? text : `0x${text}`);
}
