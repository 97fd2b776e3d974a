/** One row of the table that call frame information describes. Rules of registers are numbered as RegisterRule of core/formats/cfi/row.ts. */

/** More than any machine's that are followed. */
export const MOST_REGISTERS: u32 = 40;

@unmanaged
export class Row {
  /** The number of a register, CFA_EXPRESSION or CFA_UNSET. */
  cfaRegister: i32;
  cfaOffset: i32;
  /** arm64: return addresses are signed here. */
  isSigned: u32;
  /** From here on, by register: its rule, then the rule's value. */
}

export const CFA_EXPRESSION: i32 = -1;
export const CFA_UNSET: i32 = -2;
export const UNSPECIFIED: i32 = 0;
export const SAME_VALUE: i32 = 2;
export const OFFSET: i32 = 3;

const HEAD_BYTES: u32 = 12;
export const ROW_BYTES: u32 = 12 + 8 * 40;

export function ruleOf(row: Row, register: u32): i32 {
  return load<i32>(changetype<usize>(row) + HEAD_BYTES + 8 * register);
}

export function ruleValue(row: Row, register: u32): i32 {
  return load<i32>(changetype<usize>(row) + HEAD_BYTES + 8 * register, 4);
}

export function setRule(row: Row, register: u32, rule: i32, value: i32): void {
  if (register >= MOST_REGISTERS) return;
  const at = changetype<usize>(row) + HEAD_BYTES + 8 * register;
  store<i32>(at, rule);
  store<i32>(at, value, 4);
}

export function clear(row: Row): void {
  memory.fill(changetype<usize>(row), 0, ROW_BYTES);
  row.cfaRegister = CFA_UNSET;
}

export function assign(row: Row, other: Row): void {
  memory.copy(changetype<usize>(row), changetype<usize>(other), ROW_BYTES);
}
