/**
 * The compact table of one section of call frame information: a column of pcs in order, and the rule from each on. A function's rows
 * are made when they are first asked for: a capture touches few of a library's functions.
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
import type { RegisterFile } from './registers.js';
import { RuleSet } from './rule-set.js';

/** No function covers the pc. */
export const NO_RULE = -1;
/** A function does, but its instructions are spoilt. */
export const SPOILT_RULE = -2;

const NOT_MADE = 0;
/** Rows of spoilt functions begin here. */
const SPOILT = 0xffffffff;

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
  #pcs = new Uint32Array(1024);
  #ruleColumn = new Int32Array(1024);
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

  /** Calls back with each row of a function. @returns false for one that is spoilt */
  forEachRow(index: number, onRow: (pc: number, rule: number) => void): boolean {
    const first = this.#made(index);
    if (first === SPOILT) return false;
    for (let row = first; row < this.#end[index]!; row++) onRow(this.#pcs[row]!, this.#ruleColumn[row]!);
    return true;
  }

  /** @returns the function's first row, or SPOILT */
  #made(index: number): number {
    const first = this.#first[index]!;
    if (first !== NOT_MADE) return first === SPOILT ? SPOILT : first - 1;
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
      const pcs = new Uint32Array(2 * this.#rows);
      const ruleColumn = new Int32Array(2 * this.#rows);
      pcs.set(this.#pcs);
      ruleColumn.set(this.#ruleColumn);
      this.#pcs = pcs;
      this.#ruleColumn = ruleColumn;
    }
    this.#pcs[this.#rows] = pc;
    this.#ruleColumn[this.#rows++] = rule;
  }

  #note(fault: FormatError): void {
    this.#faultCount++;
    if (this.#faults.length < 8) this.#faults.push(fault);
  }
}
