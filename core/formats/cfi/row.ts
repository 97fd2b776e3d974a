/** One row of the table that call frame information describes: how to find the caller's registers at a range of pcs. */

/** Rules for registers. Source: DWARF 5, 6.4.1. */
export const RegisterRule = {
  /** Nothing was said of it. */
  unspecified: 0,
  /** It is lost; of the return address: there is no caller. */
  undefined: 1,
  sameValue: 2,
  /** Saved at CFA + value. */
  offset: 3,
  /** Its value is CFA + value. */
  valueOffset: 4,
  /** It is in register `value`. */
  register: 5,
  /** Saved where the expression says; the value is the expression's offset into the section. */
  expression: 6,
  /** Its value is what the expression says. */
  valueExpression: 7,
} as const;

/** Registers from this number on are not followed: their rules are read and dropped (vector and predicate registers of arm64). */
export const FOLLOWED_REGISTERS = 96;

/** `cfaRegister` of a CFA that an expression gives; `cfaOffset` is then the expression's offset into the section. */
export const CFA_EXPRESSION = -1;

export class UnwindRow {
  cfaRegister = CFA_UNSET;
  /** Bytes, added to the register. */
  cfaOffset = 0;
  /** By DWARF number. */
  readonly rules = new Uint8Array(FOLLOWED_REGISTERS);
  /** Meaning by rule; a location of an expression points at its length. */
  readonly values = new Int32Array(FOLLOWED_REGISTERS);
  /** arm64: return addresses are signed here (DW_CFA_AARCH64_negate_ra_state). */
  isReturnAddressSigned = false;

  assign(other: UnwindRow): void {
    this.cfaRegister = other.cfaRegister;
    this.cfaOffset = other.cfaOffset;
    this.rules.set(other.rules);
    this.values.set(other.values);
    this.isReturnAddressSigned = other.isReturnAddressSigned;
  }

  clear(): void {
    this.cfaRegister = CFA_UNSET;
    this.cfaOffset = 0;
    this.rules.fill(RegisterRule.unspecified);
    this.values.fill(0);
    this.isReturnAddressSigned = false;
  }
}

/** `cfaRegister` before any instruction defined it. */
export const CFA_UNSET = -2;
