/** A whole compact table, row by row, for people and machines. */
import { CFA_EXPRESSION, CFA_UNSET, RegisterRule } from '../../formats/cfi/row.js';
import type { Binary } from '../binary.js';
import { needRegisterFile, type RegisterFile } from './registers.js';
import { RuleFlag, type RuleSet, RuleWord, WORDS_PER_REGISTER } from './rule-set.js';
import { NO_RULE, SPOILT_RULE, UnwindTable } from './unwind-table.js';

/** From `pc` to the next row's the rule holds; NO_RULE where the code of no function follows, SPOILT_RULE for a spoilt one. */
export interface TableRow {
  readonly pc: number;
  readonly rule: number;
}

/** Rows in order of pc; one that repeats the rule before is left out, and one that ends the code before a gap is put in. */
export function* tableRows(table: UnwindTable): Generator<TableRow> {
  let last: number | undefined;
  table.makeAll();
  for (let index = 0; index < table.length; index++) {
    const first = table.firstRow(index);
    if (first === SPOILT_RULE) {
      if (last !== SPOILT_RULE) yield { pc: table.start(index), rule: SPOILT_RULE };
      last = SPOILT_RULE;
    } else {
      for (let row = first; row < table.endRow(index); row++) {
        const rule = table.ruleAt(row);
        if (rule !== last) yield { pc: table.pcAt(row), rule };
        last = rule;
      }
    }
    if (index + 1 < table.length && table.start(index + 1) === table.end(index)) continue;
    last = NO_RULE;
    yield { pc: table.end(index), rule: NO_RULE };
  }
}

/** A rule for people: `cfa` is "rsp+16" or "expression", `registers` what it says of each: "c-8" (saved at CFA − 8), "lost" … */
export interface RuleText {
  readonly cfa: string;
  readonly registers: { readonly [name: string]: string };
  readonly isSignalFrame: boolean;
}

export function ruleText(rules: RuleSet, rule: number, { names }: RegisterFile): RuleText {
  const { words } = rules;
  const start = rules.start(rule);
  const registers: { [name: string]: string } = {};
  for (let row = 0; row < words[start + RuleWord.count]!; row++) {
    const at = start + RuleWord.first + row * WORDS_PER_REGISTER;
    registers[names[words[at]!]!] = registerText(words[at + 1]!, words[at + 2]!, names);
  }
  const cfaRegister = words[start + RuleWord.cfaRegister]!;
  const isSignalFrame = (words[start + RuleWord.flags]! & RuleFlag.signalFrame) !== 0;
  const name = cfaRegister === CFA_UNSET ? 'unset' : (names[cfaRegister] ?? `r${cfaRegister}`);
  const cfa = cfaRegister === CFA_EXPRESSION ? 'expression' : `${name}${signed(words[start + RuleWord.cfaOffset]!)}`;
  return { cfa, registers, isSignalFrame };
}

function registerText(kind: number, value: number, names: readonly string[]): string {
  switch (kind) {
    case RegisterRule.undefined:
      return 'lost';
    case RegisterRule.sameValue:
      return 'same';
    case RegisterRule.offset:
      return `c${signed(value)}`;
    case RegisterRule.valueOffset:
      return `value of c${signed(value)}`;
    case RegisterRule.register:
      return names[value] ?? `r${value}`;
    case RegisterRule.expression:
      return 'expression';
    default:
      return 'value of expression';
  }
}

const signed = (value: number): string => (value < 0 ? `${value}` : `+${value}`);

export interface TableStats {
  readonly section: string;
  /** Functions that have rows, and those whose instructions are spoilt. */
  readonly functions: number;
  readonly spoilt: number;
  readonly rows: number;
  readonly rules: number;
  /** Rules that hold an expression. */
  readonly expressions: number;
  /** Of the table in memory, all functions' rows made; and of the section that it was made of. */
  readonly bytes: number;
  readonly sectionBytes: number;
  /** Bytes of code that have a rule, and of all that is executable in the file. */
  readonly coveredBytes: number;
  readonly codeBytes: number;
}

export function tableStats(table: UnwindTable, binary: Binary): TableStats {
  let rows = 0;
  let spoilt = 0;
  let coveredBytes = 0;
  for (const { rule } of tableRows(table)) {
    rows++;
    if (rule === SPOILT_RULE) spoilt++;
  }
  for (let index = 0; index < table.length; index++) coveredBytes += table.end(index) - table.start(index);
  let expressions = 0;
  for (let rule = 0; rule < table.rules.length; rule++) if (hasExpression(table.rules, rule)) expressions++;
  const code = binary.segments.filter(({ executable }) => executable);
  return {
    section: table.section.name,
    functions: table.length - spoilt,
    spoilt,
    rows,
    rules: table.rules.length,
    expressions,
    bytes: table.heldBytes,
    sectionBytes: table.section.bytes.length,
    coveredBytes,
    codeBytes: code.reduce((sum, { fileBytes }) => sum + fileBytes, 0),
  };
}

function hasExpression(rules: RuleSet, rule: number): boolean {
  const { words } = rules;
  const start = rules.start(rule);
  if (words[start + RuleWord.cfaRegister] === CFA_EXPRESSION) return true;
  for (let row = 0; row < words[start + RuleWord.count]!; row++) {
    if (words[start + RuleWord.first + row * WORDS_PER_REGISTER + 1]! >= RegisterRule.expression) return true;
  }
  return false;
}

/** The tables of a binary, in the order in which they are asked. @throws FormatError E_ARCHITECTURE, E_LIMIT */
export function openTables(binary: Binary): { readonly tables: UnwindTable[]; readonly registers: RegisterFile } {
  const registers = needRegisterFile(binary);
  return { tables: binary.frames.sections.map((section) => new UnwindTable(section, registers)), registers };
}
