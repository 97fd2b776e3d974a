/**
 * kernels/decode and its memory. Bytes are put into its input; it stages the rows of tables that are in them, and `take` moves what is
 * staged into columns. There is room for the rows of any input that there is room for.
 */
import { defineKernel, type KernelExports, type Limits } from '../../../core/index.js';
import { type Block, Column, type Loan } from './columns.js';
import { decodeKernel } from './decode-kernel.gen.js';
import { bytesTag } from './fields.js';
import { ReferenceColumn } from './ids.js';
import { CHILD, LABEL, PROFILE, SAMPLE } from './kernel-codes.js';
import { KernelTable, ROW_BYTES } from './kernel-table.js';
import { rowError } from './row-error.js';
import { type Address, Staged } from './staged.js';
import type { UnknownCollector } from './unknown.js';

interface Global {
  readonly value: number;
}

/** What kernels/decode/index.ts exports. */
interface DecodeExports extends KernelExports {
  readonly allocate: (bytes: number) => Address;
  readonly setLimits: (tableRows: number, stackDepth: number, labelsPerSample: number, stringBytes: number) => void;
  readonly placeStacks: (stack: Address, values: Address) => void;
  readonly placeLabelStarts: (starts: Address) => void;
  readonly placeStrings: (bytes: Address) => void;
  readonly placeSideLists: (unknown: Address, high: Address) => void;
  readonly begin: () => void;
  readonly addRows: (start: Address, end: Address) => Address;
  readonly addField: (message: number, start: Address, end: Address) => void;
  readonly take: () => void;
  readonly tables: Global;
  readonly fields: Global;
  readonly stackLength: Global;
  readonly maxStack: Global;
  readonly valuesLength: Global;
  readonly valuesSign: Global;
  readonly valueCount: Global;
  readonly oddRow: Global;
  readonly oddCount: Global;
  readonly stringsLength: Global;
  readonly maxString: Global;
  readonly unknownLength: Global;
  readonly highLength: Global;
}

const instantiate = defineKernel<DecodeExports>('decode', decodeKernel);

/** Bytes that are read at once: what they become stays in the processor's caches. */
const INPUT_BYTES = 64 * 1024;
/** The least that an unknown field takes, and an id beyond 32 bits. */
const UNKNOWN_BYTES = 2;
const HIGH_ID_BYTES = 5;
/** Words of the entries of kernels/decode/side-lists.ts, and of a Table and a Field of tables.ts there; those in their order. */
const UNKNOWN_WORDS = 5;
const HIGH_WORDS = 4;
const TABLE_WORDS = 8;
const TableWord = { rows: 0, taken: 1, ids: 2, references: 3, starts: 4, maxReference: 5, hasOtherIds: 6, hasRare: 7 };
const FIELD_WORDS = 4;
const TAGS = 128;

/** Of samples, with their labels, or of all other tables. */
export type WantedRows = 'all' | 'samples' | 'tables';

/** Rows of one profile at a time. */
export class RowKernel {
  /** Of the columns here and of all tables. */
  readonly loan: Loan = { mostBytes: 0 };
  readonly stack = new ReferenceColumn(this.loan);
  readonly values = new Column(BigUint64Array, this.loan);
  readonly labelStarts = new Column(Uint32Array, this.loan);
  /** Bytes of the string table. */
  readonly strings = new Column(Uint8Array, this.loan);
  /** What was put in last, from the first byte that was not read; `length` is how much of it. */
  input = new Uint8Array(0);
  length = 0;
  /** Offset of `input[0]` in the decompressed bytes. */
  offset = 0;
  /** Location ids of samples that were taken out of the columns. */
  stackBefore = 0;
  readonly #wanted: WantedRows;
  readonly #exports: DecodeExports;
  readonly #unknown: UnknownCollector;
  readonly #tables: KernelTable[] = [];
  readonly #rowFields: (readonly [field: number, message: number])[] = [];
  readonly #staged = {
    input: new Staged(Uint8Array, 1, false),
    stack: new Staged(Uint32Array, 1, false),
    values: new Staged(BigUint64Array, 1, false),
    strings: new Staged(Uint8Array, 1, false),
    labelStarts: new Staged(Uint32Array, 1 / ROW_BYTES, false),
    unknown: new Staged(Uint32Array, UNKNOWN_WORDS / UNKNOWN_BYTES, false),
    highHalves: new Staged(Uint32Array, HIGH_WORDS / HIGH_ID_BYTES, false),
  };
  /** All memory of the kernel, as it is now. */
  #words = new Uint32Array(0);

  /** @param wanted what gets into columns: the rest is read too, since what is wrong with it is an error */
  constructor(limits: Limits, unknown: UnknownCollector, wanted: WantedRows) {
    this.#unknown = unknown;
    this.#wanted = wanted;
    const fail = (
      problem: number,
      message: number,
      row: number,
      field: number,
      at: Address,
      got: bigint,
      limit: bigint,
    ) => {
      const offset = this.offset + ((at >>> 0) - this.#staged.input.address);
      throw rowError({ problem, message, row: row >>> 0, field, offset, got: BigInt.asUintN(64, got), limit }, limits);
    };
    this.#exports = instantiate({ fail });
    const most = (limit: number) => Math.min(limit, 2 ** 31);
    const { tableRows, stackDepth, labelsPerSample, stringBytes } = limits;
    this.#exports.setLimits(most(tableRows), most(stackDepth), most(labelsPerSample), most(stringBytes));
  }

  /**
   * @param message of a table
   * @param names of the fields of its rows, by number
   * @param field of the profile that rows are in; absent for rows within other rows
   */
  table(message: number, names: readonly string[], field?: number): KernelTable {
    const table = new KernelTable(message, names, this.loan);
    this.#tables.push(table);
    if (field !== undefined) this.#rowFields.push([field, message]);
    return table;
  }

  /** Puts bytes in, as many as there is room for. @returns how many */
  fill(bytes: Uint8Array): number {
    if (this.length === this.input.length) this.#enlarge();
    const count = Math.min(bytes.length, this.input.length - this.length);
    this.input.set(count === bytes.length ? bytes : bytes.subarray(0, count), this.length);
    this.length += count;
    return count;
  }

  get isFull(): boolean {
    return this.length === this.input.length;
  }

  /**
   * Reads rows from the field at `at` on.
   * @returns where it stopped: at `length`, or at a field that is not whole or not a table's row
   * @throws FormatError
   */
  addRows(at: number): number {
    const { address } = this.#staged.input;
    return (this.#exports.addRows(address + at, address + this.length) >>> 0) - address;
  }

  /** Reads a field if it is a row. @param tag of the profile's field @returns whether it is @throws FormatError */
  addRow(tag: number, start: number, end: number): boolean {
    const row = this.#rowFields.find(([field]) => bytesTag(field) === tag);
    if (row === undefined) return false;
    const { address } = this.#staged.input;
    this.#exports.addField(row[1], address + start, address + end);
    return true;
  }

  /** Moves rows into columns, and forgets the first `used` bytes. */
  take(used: number): void {
    const { stackLength, valuesLength, stringsLength, unknownLength, highLength, maxStack } = this.#exports;
    const { stack, values, labelStarts, strings, unknown, highHalves } = this.#staged;
    for (const table of this.#tables) this.#takeRows(table);
    if (this.#wanted !== 'tables') {
      const samples = this.#words[this.#tableAt(SAMPLE) + TableWord.rows]!;
      labelStarts.take(samples, (block) => this.labelStarts.append(block));
      stack.take(stackLength.value, (block) => this.stack.rows.append(block));
      values.take(valuesLength.value, (block) => this.values.append(block));
    }
    if (this.#wanted !== 'samples') strings.take(stringsLength.value, (block) => this.strings.append(block));
    unknown.take(UNKNOWN_WORDS * unknownLength.value, (block) => this.#takeUnknown(block));
    highHalves.take(HIGH_WORDS * highLength.value, (block) => this.#takeHighHalves(block));
    this.#exports.take();
    this.stack.max = maxStack.value >>> 0;
    this.input.copyWithin(0, used, this.length);
    this.length -= used;
    this.offset += used;
  }

  #takeRows(table: KernelTable): void {
    const at = this.#tableAt(table.message);
    const word = (name: keyof typeof TableWord) => this.#words[at + TableWord[name]]!;
    const count = word('rows');
    if (count === 0) return;
    const [hasOtherIds, hasRare] = [word('hasOtherIds') !== 0, word('hasRare') !== 0];
    const rows = { before: word('taken'), count, maxReference: word('maxReference'), hasOtherIds, hasRare };
    if (this.#isWanted(table.message)) table.take(rows);
    else table.skip(rows);
  }

  #isWanted(message: number): boolean {
    return this.#wanted === 'all' || (this.#wanted === 'samples') === (message === SAMPLE || message === LABEL);
  }

  #takeUnknown(fields: Uint32Array): void {
    const { address } = this.#staged.input;
    for (let at = 0; at < fields.length; at += UNKNOWN_WORDS) {
      const bytes = this.input.subarray(fields[at + 2]! - address, fields[at + 3]! - address);
      this.#unknown.add(fields[at]!, fields[at + 1]!, bytes, fields[at + 4]!);
    }
  }

  #takeHighHalves(halves: Uint32Array): void {
    for (let at = 0; at < halves.length; at += HIGH_WORDS) {
      const [message, row, half] = [halves[at]!, halves[at + 1]!, halves[at + 2]!];
      if (!this.#isWanted(message)) continue;
      const table = this.#tables.find((one) => one.message === message);
      const column = message === SAMPLE ? this.stack : table!.references!.column;
      const place = message === SAMPLE ? row - this.stackBefore : row;
      column.high.room(place + 1)[place] = half;
    }
  }

  #tableAt(message: number): number {
    return this.#exports.tables.value / 4 + message * TABLE_WORDS;
  }

  /** Makes room for more input; nothing is staged. Memory is not given back: what is new is 0, and untouched until it is needed. */
  #enlarge(): void {
    const bytes = Math.max(4 * this.input.length, INPUT_BYTES);
    const pending = this.input.slice(0, this.length);
    const { allocate, memory } = this.#exports;
    const all = [...Object.values(this.#staged), ...this.#tables.flatMap((table) => table.staged)] as Staged<Block>[];
    let address = allocate(all.reduce((sum, staged) => sum + staged.bytesFor(bytes), 0)) >>> 0;
    for (const staged of all) {
      staged.place(memory.buffer, address, bytes);
      address += staged.bytesFor(bytes);
    }
    this.#words = new Uint32Array(memory.buffer);
    this.input = new Uint8Array(memory.buffer, this.#staged.input.address, bytes);
    this.input.set(pending);
    this.#describe();
  }

  /** Tells the kernel where everything is, and what fields mean. */
  #describe(): void {
    const { stack, values, labelStarts, strings, unknown, highHalves } = this.#staged;
    this.#exports.placeStacks(stack.address, values.address);
    this.#exports.placeLabelStarts(labelStarts.address);
    this.#exports.placeStrings(strings.address);
    this.#exports.placeSideLists(unknown.address, highHalves.address);
    const words = this.#words;
    const fields = this.#exports.fields.value / 4;
    for (const [field, message] of this.#rowFields) {
      words.set([CHILD, 0, message], fields + (PROFILE * TAGS + bytesTag(field)) * FIELD_WORDS);
    }
    for (const { message, meanings, ids, references, startsAt } of this.#tables) {
      const at = this.#tableAt(message);
      words[at + TableWord.ids] = ids?.staged.address ?? 0;
      words[at + TableWord.references] = references?.staged.address ?? 0;
      words[at + TableWord.starts] = startsAt?.address ?? 0;
      for (const { tag, kind, column, parameter } of meanings) {
        words.set([kind, column?.address ?? 0, parameter ?? 0], fields + (message * TAGS + tag) * FIELD_WORDS);
      }
    }
  }

  /** Whether it has had to make room for more than most profiles need. */
  get isLarge(): boolean {
    return this.input.length > INPUT_BYTES;
  }

  get hasNegativeValues(): boolean {
    return this.#exports.valuesSign.value < 0;
  }

  /** No string index of any table's row is larger. */
  get maxString(): number {
    return this.#exports.maxString.value >>> 0;
  }

  /** Number of values of the first sample, and of the first one with another number: its row is −1 when there is none. */
  get valueCounts(): { readonly first: number; readonly oddRow: number; readonly odd: number } {
    const { valueCount, oddRow, oddCount } = this.#exports;
    return { first: valueCount.value, oddRow: oddRow.value, odd: oddCount.value };
  }

  /** Forgets the profile, wherever it is. */
  clear(): void {
    for (const table of this.#tables) table.clear(this.#words[this.#tableAt(table.message)] ?? 0);
    for (const column of [this.stack, this.values, this.labelStarts, this.strings]) column.clear();
    this.#exports.begin();
    this.offset = 0;
    this.length = 0;
    this.stackBefore = 0;
  }
}
