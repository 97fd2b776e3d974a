/**
 * Call frame instructions (DW_CFA_*), as core/formats/cfi/instructions.ts runs them. What is spoilt, and what is not usual (a location by
 * a pointer, numbers beyond 32 bits), ends with `isWhole` unset: the host says what it is.
 */
import { allocate } from '../memory';
import { assign, CFA_EXPRESSION, clear, MOST_REGISTERS, ROW_BYTES, Row, ruleOf, ruleValue, setRule } from './row';
import { addRow } from './rows';

@unmanaged
export class Common {
  /** Into the section, as the next two. */
  offset: u32;
  instructionsStart: u32;
  instructionsEnd: u32;
  codeAlignment: u32;
  dataAlignment: i32;
  isSignalFrame: u32;
  /** Bytes of an address and of a length in its FDEs; 0: they are not read here. */
  pointerBytes: u32;
  /** Whether its FDEs have augmentation data, with its length before it. */
  hasData: u32;
}

/** Registers from this number on are read and dropped, but cannot hold the CFA. */
const FOLLOWED_REGISTERS: u64 = 96;
const MOST_REMEMBERED: u32 = 256;
const MOST_BITS: u64 = 35;

// Rules, as RegisterRule has them.
const UNDEFINED: i32 = 1;
const SAME_VALUE: i32 = 2;
const OFFSET: i32 = 3;
const VALUE_OFFSET: i32 = 4;
const REGISTER: i32 = 5;
const EXPRESSION: i32 = 6;
const VALUE_EXPRESSION: i32 = 7;

let common: Common = changetype<Common>(0);
const row = changetype<Row>(memory.data(332, 8));
const initial = changetype<Row>(memory.data(332, 8));
let remembered: usize = 0;
let rememberedCount: u32 = 0;

/** Of what is run: the next byte, the end, and the section's first. */
let next: usize = 0;
let end: usize = 0;
let section: usize = 0;
/** Whether all that was run last is understood. */
export let isWhole: bool = true;

/** Functions of this CIE follow. */
export function beginCommon(sectionStart: usize, ofFunctions: Common): void {
  common = ofFunctions;
  clear(row);
  clear(initial);
  begin(sectionStart, common.instructionsStart, common.instructionsEnd);
  run(0, false);
  assign(initial, row);
}

/** Adds the function's rows. @param fields what follows the range of code in its FDE, which ends at `behind`: offsets into the section */
export function runFunction(sectionStart: usize, fields: u32, behind: u32, firstPc: u32): void {
  begin(sectionStart, fields, behind);
  if (common.hasData) skip(uleb());
  assign(row, initial);
  const pc = run(firstPc, true);
  if (isWhole) addRow(pc, row, common.isSignalFrame !== 0);
}

function begin(sectionStart: usize, start: u32, behind: u32): void {
  section = sectionStart;
  next = section + start;
  end = section + behind;
  isWhole = true;
  rememberedCount = 0;
}

/** @returns the pc that the last row begins at, which is not added */
function run(firstPc: f64, hasRows: bool): f64 {
  let pc = firstPc;
  while (isWhole && next < end) {
    const byte = load<u8>(next++);
    const operand = u32(byte & 0x3f);
    switch (byte >> 6) {
      case 1:
        if (hasRows) addRow(pc, row, common.isSignalFrame !== 0);
        pc += f64(operand) * f64(common.codeAlignment);
        break;
      case 2:
        setScaled(operand, OFFSET, i64(uleb()));
        break;
      case 3:
        restore(operand);
        break;
      default:
        if (operand >= 0x02 && operand <= 0x04) {
          if (hasRows) addRow(pc, row, common.isSignalFrame !== 0);
          pc += f64(fixed(1 << (operand - 2))) * f64(common.codeAlignment);
        } else runOther(operand);
    }
  }
  return pc;
}

/** Those that leave the pc. */
function runOther(operand: u32): void {
  switch (operand) {
    case 0x00: // nop
      break;
    case 0x05: // offset_extended
      setScaled(uleb(), OFFSET, i64(uleb()));
      break;
    case 0x06: // restore_extended
      restore(uleb());
      break;
    case 0x07: // undefined
      set(uleb(), UNDEFINED, 0);
      break;
    case 0x08: // same_value
      set(uleb(), SAME_VALUE, 0);
      break;
    case 0x09: // register
      set(uleb(), REGISTER, i64(uleb()));
      break;
    case 0x0a: // remember_state
      remember();
      break;
    case 0x0b: // restore_state
      if (rememberedCount === 0) isWhole = false;
      else assign(row, changetype<Row>(remembered + --rememberedCount * ROW_BYTES));
      break;
    case 0x0c: // def_cfa
      defineCfa(uleb(), i64(uleb()));
      break;
    case 0x0d: // def_cfa_register
      defineCfa(uleb(), row.cfaRegister === CFA_EXPRESSION ? 0 : row.cfaOffset);
      break;
    case 0x0e: // def_cfa_offset
      defineCfa(i64(row.cfaRegister), i64(uleb()));
      break;
    case 0x0f: // def_cfa_expression
      row.cfaRegister = CFA_EXPRESSION;
      row.cfaOffset = i32(skipExpression());
      break;
    case 0x10: // expression
      set(uleb(), EXPRESSION, skipExpression());
      break;
    case 0x11: // offset_extended_sf
      setScaled(uleb(), OFFSET, sleb());
      break;
    case 0x12: // def_cfa_sf
      defineCfa(uleb(), sleb() * common.dataAlignment);
      break;
    case 0x13: // def_cfa_offset_sf
      defineCfa(i64(row.cfaRegister), sleb() * common.dataAlignment);
      break;
    case 0x14: // val_offset
      setScaled(uleb(), VALUE_OFFSET, i64(uleb()));
      break;
    case 0x15: // val_offset_sf
      setScaled(uleb(), VALUE_OFFSET, sleb());
      break;
    case 0x16: // val_expression
      set(uleb(), VALUE_EXPRESSION, skipExpression());
      break;
    case 0x2c: // AARCH64_negate_ra_state_with_pc
    case 0x2d: // AARCH64_negate_ra_state
      row.isSigned ^= 1;
      break;
    case 0x2e: // GNU_args_size
      uleb();
      break;
    case 0x2f: // GNU_negative_offset_extended
      setScaled(uleb(), OFFSET, -i64(uleb()));
      break;
    default:
      isWhole = false;
  }
}

function setScaled(register: u64, rule: i32, value: i64): void {
  set(register, rule, value * common.dataAlignment);
}

function set(register: u64, rule: i32, value: i64): void {
  if (i64(i32(value)) !== value) isWhole = false;
  else if (register < u64(MOST_REGISTERS)) setRule(row, u32(register), rule, i32(value));
}

/** The rule that the CIE gives. */
function restore(register: u64): void {
  if (register >= u64(MOST_REGISTERS)) return;
  const number = u32(register);
  setRule(row, number, ruleOf(initial, number), ruleValue(initial, number));
}

function remember(): void {
  if (rememberedCount === MOST_REMEMBERED) {
    isWhole = false;
    return;
  }
  if (remembered === 0) remembered = allocate(MOST_REMEMBERED * ROW_BYTES);
  assign(changetype<Row>(remembered + rememberedCount++ * ROW_BYTES), row);
}

function defineCfa(register: i64, offset: i64): void {
  if (i64(i32(offset)) !== offset || register < 0 || u64(register) >= FOLLOWED_REGISTERS) isWhole = false;
  else {
    row.cfaRegister = i32(register);
    row.cfaOffset = i32(offset);
  }
}

/** @returns the offset into the section of the expression's length */
function skipExpression(): i64 {
  const at = i64(next - section);
  skip(uleb());
  return at;
}

function skip(bytes: u64): void {
  if (bytes > u64(end - next)) isWhole = false;
  else next += usize(bytes);
}

/** A number of so many bytes: 1, 2 or 4. */
function fixed(bytes: u32): u32 {
  if (bytes > u32(end - next)) isWhole = false;
  if (!isWhole) return 0;
  const value = bytes === 1 ? load<u8>(next) : bytes === 2 ? load<u16>(next) : load<u32>(next);
  next += bytes;
  return u32(value);
}

/** Unsigned LEB128 of up to 35 bits. */
function uleb(): u64 {
  let value: u64 = 0;
  for (let shift: u64 = 0; shift < MOST_BITS && next < end; shift += 7) {
    const byte = u64(load<u8>(next++));
    value |= (byte & 0x7f) << shift;
    if (byte < 0x80) return value;
  }
  isWhole = false;
  return 0;
}

/** Signed LEB128 of up to 35 bits. */
function sleb(): i64 {
  let value: i64 = 0;
  for (let shift: i64 = 0; shift < i64(MOST_BITS) && next < end; ) {
    const byte = i64(load<u8>(next++));
    value |= (byte & 0x7f) << shift;
    shift += 7;
    if (byte < 0x80) return (byte & 0x40) !== 0 ? value - (i64(1) << shift) : value;
  }
  isWhole = false;
  return 0;
}
