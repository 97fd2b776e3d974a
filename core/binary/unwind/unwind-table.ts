/**
 * The compact table of one section of call frame information: a column of pcs in order, and the rule from each on. A function's rows
 * are made when they are first asked for: a capture touches few of a library's functions. A kernel makes
 * those of all functions at once, for those who list them.
 *
 *     pcs    0x1000  0x1001  0x1010 | 0x1030 0x1031 …
 *     rules       0       1       0 |      0      1 …       rows that repeat the rule before are left out
 */
import { EntryReader } from '../../formats/cfi/entry.js';
import { type FdeIndex, findFde, readFdeIndex } from '../../formats/cfi/fde-index.js';
import { InstructionRunner } from '../../formats/cfi/instructions.js';
import type { UnwindRow } from '../../formats/cfi/row.js';
import type { CfiSection } from '../../formats/cfi/section.js';
import { FormatError } from '../../formats/errors.js';
import { Budget } from '../../formats/limits.js';
import { NOT_MADE } from './kernel-codes.js';
import type { RegisterFile } from './registers.js';
import { RuleSet } from './rule-set.js';
import { makeRows } from './table-kernel.js';

/** No function covers the pc. */
export const NO_RULE = -1;
/** A function does, but its instructions are spoilt. */
export const SPOILT_RULE = -2;

const NOT_MADE_YET = 0;
/** Rows of spoilt functions begin here. */
const SPOILT = 0xffffffff;
/** Rows that there is room for at first; it doubles. */
const FIRST_ROOM = 1024;

export class UnwindTable {
  readonly section: CfiSection;
  readonly rules: RuleSet;
  readonly #reader: EntryReader;
  readonly #runner: InstructionRunner;
  readonly #index: FdeIndex;
  readonly #budget: Budget;
  /** By function: its rows are [first − 1, end). */
  readonly #first: Uint32Array;
  readonly #end: Uint32Array;
  #pcs = new Uint32Array(FIRST_ROOM);
  #ruleColumn = new Int32Array(FIRST_ROOM);
  #rows = 0;
  readonly #faults: FormatError[] = [];
  #faultCount = 0;

  /** Reads the entries' heads. @throws FormatError E_LIMIT */
  constructor(section: CfiSection, registers: RegisterFile, budget: Budget = new Budget()) {
    this.section = section;
    this.#budget = budget;
    this.rules = new RuleSet(registers);
    this.#reader = new EntryReader(section);
    this.#runner = new InstructionRunner(section);
    this.#index = readFdeIndex(this.#reader, budget, (fault) => this.#note(fault));
    this.#first = new Uint32Array(this.#index.length);
    this.#end = new Uint32Array(this.#index.length);
  }

  /** Functions; the methods below take an index into them, in order of address. */
  get length(): number {
    return this.#index.length;
  }

  get heldBytes(): number {
    return 20 * this.#index.length + 8 * this.#pcs.length + this.rules.heldBytes;
  }

  /** Entries that were left out, and those of functions whose rows could not be made: the first few, and how many. */
  get faults(): { readonly first: readonly FormatError[]; readonly count: number } {
    return { first: this.#faults, count: this.#faultCount };
  }

  /** Makes the rows of all functions at once, for those who list them; unless there are some already. */
  makeAll(): void {
    if (this.#rows > 0 || this.rules.length > 0) return;
    const { tableRows } = this.#budget.limits;
    let mostRows = FIRST_ROOM;
    while (2 * mostRows <= tableRows) mostRows *= 2;
    const made = makeRows(this.section, this.#index, this.#reader.commons(), this.rules.file, mostRows);
    while (this.#pcs.length < made.pcs.length) this.#enlarge();
    this.#pcs.set(made.pcs);
    this.#ruleColumn.set(made.rules);
    this.#rows = made.pcs.length;
    this.rules.take(made.ruleWords, made.ruleStarts);
    for (let index = 0; index < this.length; index++) {
      const first = made.firstRows[index]!;
      if (first !== NOT_MADE) this.#first[index] = first + 1;
    }
    this.#end.set(made.endRows);
  }

  /** @param pc object address @returns the rule that holds there, NO_RULE or SPOILT_RULE */
  find(pc: number): number {
    const index = findFde(this.#index, pc);
    if (index < 0) return NO_RULE;
    const first = this.#made(index);
    if (first === SPOILT) return SPOILT_RULE;
    let low = first;
    let high = this.#end[index]!;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (this.#pcs[middle]! <= pc) low = middle + 1;
      else high = middle;
    }
    return low > first ? this.#ruleColumn[low - 1]! : NO_RULE;
  }

  start(index: number): number {
    return this.#index.starts[index]!;
  }

  end(index: number): number {
    return this.#index.ends[index]!;
  }

  /** Rows of a function are [firstRow, endRow) of `pcAt` and `ruleAt`. @returns SPOILT_RULE for one that is spoilt */
  firstRow(index: number): number {
    const first = this.#made(index);
    return first === SPOILT ? SPOILT_RULE : first;
  }

  /** Of a function whose first row was asked for. */
  endRow(index: number): number {
    return this.#end[index]!;
  }

  pcAt(row: number): number {
    return this.#pcs[row]!;
  }

  ruleAt(row: number): number {
    return this.#ruleColumn[row]!;
  }

  /** @returns the function's first row, or SPOILT */
  #made(index: number): number {
    const first = this.#first[index]!;
    if (first !== NOT_MADE_YET) return first === SPOILT ? SPOILT : first - 1;
    const start = this.#rows;
    try {
      this.#make(index);
    } catch (error) {
      if (!(error instanceof FormatError)) throw error;
      this.#note(error);
      this.#rows = start;
      this.#first[index] = SPOILT;
      return SPOILT;
    }
    this.#first[index] = start + 1;
    this.#end[index] = this.#rows;
    return start;
  }

  #make(index: number): void {
    const entry = this.#reader.frameAt(this.#index.offsets[index]!);
    const end = this.#index.ends[index]!;
    const firstRow = this.#rows;
    this.#runner.run(entry, (pc: number, row: UnwindRow) => {
      if (pc >= end) return;
      const rule = this.rules.intern(row, entry.common);
      const last = this.#rows - 1;
      if (last >= firstRow && this.#pcs[last] === pc) this.#rows--; // a row of no length
      if (this.#rows > firstRow && this.#ruleColumn[this.#rows - 1] === rule) return;
      this.#append(pc, rule);
    });
  }

  #append(pc: number, rule: number): void {
    if (this.#rows === this.#pcs.length) {
      this.#budget.check('tableRows', 2 * this.#rows, { section: this.section.name });
      this.#enlarge();
    }
    this.#pcs[this.#rows] = pc;
    this.#ruleColumn[this.#rows++] = rule;
  }

  #enlarge(): void {
    const pcs = new Uint32Array(2 * this.#pcs.length);
    const ruleColumn = new Int32Array(2 * this.#pcs.length);
    pcs.set(this.#pcs);
    ruleColumn.set(this.#ruleColumn);
    this.#pcs = pcs;
    this.#ruleColumn = ruleColumn;
  }

  #note(fault: FormatError): void {
    this.#faultCount++;
    if (this.#faults.length < 8) this.#faults.push(fault);
  }
}
