/**
 * Call frame instructions (DW_CFA_*): runs those of a function and gives the rows of its table.
 * Source: DWARF 5, 6.4.2 and 7.24; GNU's from binutils include/dwarf2.def; arm64's from AADWARF64, 4.4.
 */
import { CfiCursor } from './cursor.js';
import type { CommonEntry, FrameEntry } from './entry.js';
import { readPointer } from './pointer.js';
import { CFA_EXPRESSION, FOLLOWED_REGISTERS, RegisterRule, UnwindRow } from './row.js';
import type { CfiSection } from './section.js';

const Instruction = {
  nop: 0x00,
  setLocation: 0x01,
  advanceLocation1: 0x02,
  advanceLocation2: 0x03,
  advanceLocation4: 0x04,
  offsetExtended: 0x05,
  restoreExtended: 0x06,
  undefined: 0x07,
  sameValue: 0x08,
  register: 0x09,
  rememberState: 0x0a,
  restoreState: 0x0b,
  defineCfa: 0x0c,
  defineCfaRegister: 0x0d,
  defineCfaOffset: 0x0e,
  defineCfaExpression: 0x0f,
  expression: 0x10,
  offsetExtendedSigned: 0x11,
  defineCfaSigned: 0x12,
  defineCfaOffsetSigned: 0x13,
  valueOffset: 0x14,
  valueOffsetSigned: 0x15,
  valueExpression: 0x16,
  mipsAdvanceLocation8: 0x1d,
  arm64NegateReturnAddressStateWithPc: 0x2c,
  /** arm64: negates whether return addresses are signed; SPARC: register windows, which are not read here. */
  negateReturnAddressState: 0x2d,
  gnuArgumentsSize: 0x2e,
  gnuNegativeOffsetExtended: 0x2f,
} as const;

/** Remembered rows at a time; compilers use one or two. */
const MAX_REMEMBERED = 256;

type OnRow = (pc: number, row: UnwindRow, isLast: boolean) => void;

/** Runs the instructions of functions of one section; its rows are reused from call to call. */
export class InstructionRunner {
  readonly #section: CfiSection;
  readonly #row = new UnwindRow();
  readonly #initial = new UnwindRow();
  #initialOf: CommonEntry | undefined;
  readonly #remembered: UnwindRow[] = [];
  #rememberedCount = 0;

  constructor(section: CfiSection) {
    this.#section = section;
  }

  /**
   * All rows of a function, in order of pc. Rows may repeat the one before, and may be of no length.
   * @param onRow gets the row's first pc (object address), the row, which is only valid during the call, and whether it is the last
   * @throws FormatError E_CFI_INSTRUCTION, E_CFI_STATE, E_CFI_RANGE, E_LEB128, E_TRUNCATED
   */
  run(entry: FrameEntry, onRow: OnRow): void {
    const { common } = entry;
    if (this.#initialOf !== common) {
      this.#initialOf = undefined;
      this.#row.clear();
      this.#initial.clear();
      this.#runPart(common, common.instructionsStart, common.instructionsEnd, 0, () => {});
      this.#initial.assign(this.#row);
      this.#initialOf = common;
    } else {
      this.#row.assign(this.#initial);
    }
    const pc = this.#runPart(common, entry.instructionsStart, entry.instructionsEnd, entry.start, onRow);
    onRow(pc, this.#row, true);
  }

  /** @returns the pc that the last row begins at; it is not given to `onRow` */
  #runPart(common: CommonEntry, start: number, end: number, firstPc: number, onRow: OnRow): number {
    const row = this.#row;
    const { codeAlignment, dataAlignment } = common;
    const cursor: CfiCursor = new CfiCursor(this.#section.bytes, this.#section.name, start, end);
    let pc = firstPc;
    this.#rememberedCount = 0;
    while (cursor.offset < end) {
      const byte = cursor.u8();
      const operand = byte & 0x3f;
      switch (byte & 0xc0) {
        case 0x40:
          onRow(pc, row, false);
          pc += operand * codeAlignment;
          continue;
        case 0x80:
          setRule(row, operand, RegisterRule.offset, cursor.uleb() * dataAlignment, cursor);
          continue;
        case 0xc0:
          this.#restore(operand);
          continue;
      }
      switch (operand) {
        case Instruction.nop:
          break;
        case Instruction.setLocation: {
          const target = readPointer(cursor, this.#section, common.pointerEncoding, firstPc);
          if (target === undefined || target < pc) cursor.fail('E_CFI_STATE', 'location is set backwards');
          onRow(pc, row, false);
          pc = target;
          break;
        }
        case Instruction.advanceLocation1:
          onRow(pc, row, false);
          pc += cursor.u8() * codeAlignment;
          break;
        case Instruction.advanceLocation2:
          onRow(pc, row, false);
          pc += cursor.u16() * codeAlignment;
          break;
        case Instruction.advanceLocation4:
          onRow(pc, row, false);
          pc += cursor.u32() * codeAlignment;
          break;
        case Instruction.mipsAdvanceLocation8:
          onRow(pc, row, false);
          pc += Number(cursor.u64()) * codeAlignment;
          break;
        case Instruction.offsetExtended:
          setRule(row, cursor.uleb(), RegisterRule.offset, cursor.uleb() * dataAlignment, cursor);
          break;
        case Instruction.offsetExtendedSigned:
          setRule(row, cursor.uleb(), RegisterRule.offset, cursor.sleb() * dataAlignment, cursor);
          break;
        case Instruction.gnuNegativeOffsetExtended:
          setRule(row, cursor.uleb(), RegisterRule.offset, -cursor.uleb() * dataAlignment, cursor);
          break;
        case Instruction.valueOffset:
          setRule(row, cursor.uleb(), RegisterRule.valueOffset, cursor.uleb() * dataAlignment, cursor);
          break;
        case Instruction.valueOffsetSigned:
          setRule(row, cursor.uleb(), RegisterRule.valueOffset, cursor.sleb() * dataAlignment, cursor);
          break;
        case Instruction.restoreExtended:
          this.#restore(cursor.uleb());
          break;
        case Instruction.undefined:
          setRule(row, cursor.uleb(), RegisterRule.undefined, 0, cursor);
          break;
        case Instruction.sameValue:
          setRule(row, cursor.uleb(), RegisterRule.sameValue, 0, cursor);
          break;
        case Instruction.register:
          setRule(row, cursor.uleb(), RegisterRule.register, cursor.uleb(), cursor);
          break;
        case Instruction.expression:
          setRule(row, cursor.uleb(), RegisterRule.expression, skipExpression(cursor), cursor);
          break;
        case Instruction.valueExpression:
          setRule(row, cursor.uleb(), RegisterRule.valueExpression, skipExpression(cursor), cursor);
          break;
        case Instruction.rememberState:
          this.#remember(cursor);
          break;
        case Instruction.restoreState:
          if (this.#rememberedCount === 0) cursor.fail('E_CFI_STATE', 'no remembered row to restore');
          row.assign(this.#remembered[--this.#rememberedCount]!);
          break;
        case Instruction.defineCfa:
          defineCfa(row, cursor.uleb(), cursor.uleb(), cursor);
          break;
        case Instruction.defineCfaSigned:
          defineCfa(row, cursor.uleb(), cursor.sleb() * dataAlignment, cursor);
          break;
        case Instruction.defineCfaRegister:
          defineCfa(row, cursor.uleb(), row.cfaRegister === CFA_EXPRESSION ? 0 : row.cfaOffset, cursor);
          break;
        case Instruction.defineCfaOffset:
          defineCfa(row, row.cfaRegister, cursor.uleb(), cursor);
          break;
        case Instruction.defineCfaOffsetSigned:
          defineCfa(row, row.cfaRegister, cursor.sleb() * dataAlignment, cursor);
          break;
        case Instruction.defineCfaExpression:
          row.cfaRegister = CFA_EXPRESSION;
          row.cfaOffset = skipExpression(cursor);
          break;
        case Instruction.gnuArgumentsSize:
          cursor.uleb();
          break;
        case Instruction.negateReturnAddressState:
        case Instruction.arm64NegateReturnAddressStateWithPc:
          row.isReturnAddressSigned = !row.isReturnAddressSigned;
          break;
        default:
          cursor.offset--;
          cursor.fail('E_CFI_INSTRUCTION', 'unknown call frame instruction', `0x${byte.toString(16)}`);
      }
    }
    return pc;
  }

  /** The rule that the CIE gives. */
  #restore(register: number): void {
    if (register >= FOLLOWED_REGISTERS) return;
    const row = this.#row;
    row.rules[register] = this.#initial.rules[register]!;
    row.values[register] = this.#initial.values[register]!;
  }

  #remember(cursor: CfiCursor): void {
    if (this.#rememberedCount === MAX_REMEMBERED) {
      cursor.fail('E_LIMIT', `more than ${MAX_REMEMBERED} remembered rows`);
    }
    if (this.#remembered.length === this.#rememberedCount) this.#remembered.push(new UnwindRow());
    this.#remembered[this.#rememberedCount++]!.assign(this.#row);
  }
}

function setRule(row: UnwindRow, register: number, rule: number, value: number, cursor: CfiCursor): void {
  if ((value | 0) !== value) cursor.fail('E_CFI_RANGE', 'offset beyond 32 bits', value);
  if (register >= FOLLOWED_REGISTERS) return;
  row.rules[register] = rule;
  row.values[register] = value;
}

function defineCfa(row: UnwindRow, register: number, offset: number, cursor: CfiCursor): void {
  if ((offset | 0) !== offset) cursor.fail('E_CFI_RANGE', 'offset beyond 32 bits', offset);
  if (register < 0 || register >= FOLLOWED_REGISTERS) {
    cursor.fail('E_CFI_STATE', 'CFA by a register that cannot hold it', register);
  }
  row.cfaRegister = register;
  row.cfaOffset = offset;
}

/** @returns the offset into the section of the expression's length */
function skipExpression(cursor: CfiCursor): number {
  const at = cursor.offset;
  cursor.skip(cursor.uleb());
  return at;
}
