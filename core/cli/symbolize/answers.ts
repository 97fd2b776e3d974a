/**
 * Lines with addresses and the answers to them, a batch at a time, in kernels/answers: looking up the addresses of Go takes less time than
 * making texts of the answers in JavaScript.
 */
import type { FrameRows, SymbolFrame } from '../../binary/symbols/source.js';
import { defineKernel } from '../../formats/kernel.js';
import { escapeJson, escapeText } from '../escape.js';
import { answersKernel } from './kernel.gen.js';
import { NO_NUMBER, UNANSWERED } from './kernel-codes.js';
import { type BlockExports, PlacedTexts } from './placed-texts.js';

interface Global {
  readonly value: number;
}

/** What kernels/answers/index.ts exports. Addresses are signed. */
interface AnswersExports extends BlockExports {
  placeInput(bytes: number): number;
  readLines(bytes: number, isDecimal: boolean, baseLow: number, baseHigh: number): void;
  readonly lineCount: Global;
  readonly lines: Global;
  readonly addresses: Global;
  nameAddress(line: number, low: number, high: number): void;
  answer(line: number, firstFrame: number, count: number): void;
  answerText(line: number, text: number): void;
  readonly frameCount: Global;
  addFrame(name: number, systemName: number, file: number, line: number, column: number, startLine: number): void;
  addRows(firstLine: number, lineCount: number, counts: number, rows: number, names: number, files: number): void;
  writeAnswers(firstLine: number, isJson: boolean, withAddress: boolean): number;
  readonly out: Global;
  readonly written: Global;
}

/**
 * How answers are written. JSON: one object a line: {"address", "frames": [{"function", "systemName"?, "file", "line", "column", "startLine",
 * "inlined"}]}, innermost first. Text, as llvm-symbolizer prints it: function and place of each frame on two lines, and an empty line.
 */
export interface AnswerForm {
  readonly isJson: boolean;
  /** Whether the address stands before a text, as with llvm-symbolizer's --addresses; JSON always has it. */
  readonly withAddress: boolean;
}

/** Of a line: see kernels/answers/lines.ts. */
const LineWord = { address: 0, start: 2, end: 3, firstFrame: 4, frames: 5 } as const;
const LINE_WORDS = 7;

const newExports = defineKernel<AnswersExports>('answers', answersKernel);

export class Answers {
  readonly #exports = newExports();
  readonly #form: AnswerForm;
  readonly #texts: PlacedTexts;
  #input = 0;

  constructor(form: AnswerForm) {
    this.#form = form;
    this.#texts = new PlacedTexts(this.#exports, form.isJson ? escapedForJson : escapeText);
  }

  /**
   * Begins a batch.
   * @param lines at least one, without the newline of the last
   * @param isDecimal whether numbers without 0x are decimal: they are left to who asks
   * @param base what is taken off an address to get one of the file
   */
  read(lines: Uint8Array, isDecimal: boolean, base: bigint): void {
    this.#texts.tidy();
    this.#input = this.#exports.placeInput(lines.length) >>> 0;
    new Uint8Array(this.#exports.memory.buffer).set(lines, this.#input);
    this.#exports.readLines(lines.length, isDecimal, Number(base & 0xffffffffn), Number(base >> 32n));
  }

  get lineCount(): number {
    return this.#exports.lineCount.value;
  }

  /** Object address of each line, NO_NUMBER or OUTSIDE: to be changed by who knows better. Good until frames are added. */
  get addresses(): Float64Array {
    return new Float64Array(this.#exports.memory.buffer, this.#exports.addresses.value >>> 0, this.lineCount);
  }

  /** Lines that are not answered yet, with a plain number or without. */
  unanswered(areNumbers: boolean): number[] {
    const { addresses } = this;
    const words = this.#words();
    const lines: number[] = [];
    for (let line = 0; line < addresses.length; line++) {
      const isOpen = words[line * LINE_WORDS + LineWord.frames] === UNANSWERED;
      if (isOpen && (addresses[line] !== NO_NUMBER) === areNumbers) lines.push(line);
    }
    return lines;
  }

  /** The number of a plain line. */
  address(line: number): bigint {
    const words = this.#words().subarray(line * LINE_WORDS + LineWord.address);
    return (BigInt(words[1]! >>> 0) << 32n) | BigInt(words[0]! >>> 0);
  }

  text(line: number): string {
    const words = this.#words().subarray(line * LINE_WORDS);
    const [start, end] = [words[LineWord.start]!, words[LineWord.end]!];
    return Buffer.from(this.#exports.memory.buffer, this.#input + start, end - start).toString();
  }

  /** @param frames innermost first; none where nothing is known @param address where the line has no plain number */
  answer(line: number, frames: readonly SymbolFrame[], address?: bigint): void {
    const exports = this.#exports;
    if (address !== undefined) exports.nameAddress(line, Number(address & 0xffffffffn), Number(address >> 32n));
    const first = exports.frameCount.value;
    for (const { function: name, systemName, file, line: row, column, startLine } of frames) {
      const system = systemName === name ? 0 : this.#texts.place(systemName);
      exports.addFrame(this.#texts.place(name), system, this.#texts.place(file), row, column, startLine);
    }
    exports.answer(line, first, frames.length);
  }

  /** Answers a line as another one. */
  answerAs(line: number, answered: number): void {
    const words = this.#words().subarray(answered * LINE_WORDS);
    this.#exports.answer(line, words[LineWord.firstFrame]!, words[LineWord.frames]!);
  }

  /** A line that is no address: the same as for one of which nothing is known. */
  answerNone(line: number, text: string): void {
    this.#exports.answerText(line, this.#texts.place(text));
  }

  /** Takes what a source quickly knows of the lines from one on. Those are left whose texts would have to be written in another way. */
  addRows(firstLine: number, { counts, rows, names, files }: FrameRows): void {
    const exports = this.#exports;
    const tables = this.#texts.placeTables(names, files);
    const bytes = counts.byteLength + rows.byteLength;
    const copies = exports.allocate(bytes);
    const words = new Int32Array(exports.memory.buffer, copies >>> 0, bytes / 4);
    words.set(counts);
    words.set(rows, counts.length);
    exports.addRows(firstLine, counts.length, copies, copies + counts.byteLength, ...tables);
    exports.release(copies, bytes);
  }

  /** All answers, in the order of their lines: whole lines, safe to print. Each piece is good until the next. */
  *pieces(): Generator<Uint8Array> {
    const { isJson, withAddress } = this.#form;
    const { out, written } = this.#exports;
    for (let line = 0; line < this.lineCount; ) {
      line = this.#exports.writeAnswers(line, isJson, withAddress);
      yield new Uint8Array(this.#exports.memory.buffer, out.value >>> 0, written.value);
    }
  }

  #words(): Int32Array {
    return new Int32Array(this.#exports.memory.buffer, this.#exports.lines.value >>> 0, this.lineCount * LINE_WORDS);
  }
}

/** Printable ASCII without quotes and backslashes, as nearly all names and paths are. */
const PLAIN = /^[ !#-[\]-~]*$/;

/** Without the quotes. */
function escapedForJson(text: string): string {
  return PLAIN.test(text) ? text : escapeJson(JSON.stringify(text)).slice(1, -1);
}
