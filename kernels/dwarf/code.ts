/** Where the code of a DIE lies: ranges, or what the host makes ranges of, which has the table of addresses. */
import { HIGH_PC, LOW_PC, RANGES } from '../../core/formats/dwarf/kernel-codes';
import { isDead } from './addresses';
import { formOf, has, numberOf } from './die';
import { ADDRESS, ADDRX, ADDRX1, ADDRX4, GNU_ADDRESS_INDEX } from './numbers';
import { addRange, addRangeList, dropRanges } from './range-lists';

/** As fields of the DIE, each with 0 for a form where it is absent; where `ranges` is absent, a low one that is an address is not dead. */
export class Code {
  low!: f64;
  high!: f64;
  ranges!: f64;
  lowForm!: u16;
  /** ADDRESS where `high` is the end of the code. */
  highForm!: u16;
  rangesForm!: u16;
  padding!: u16;
}

/** Of the DIE that was read last. */
export function storeCode(code: Code): void {
  code.low = numberOf(LOW_PC);
  code.high = numberOf(HIGH_PC);
  code.ranges = numberOf(RANGES);
  code.lowForm = u16(formOf(LOW_PC));
  code.highForm = u16(formOf(HIGH_PC));
  code.rangesForm = u16(formOf(RANGES));
  if (has(RANGES)) return;
  if (code.lowForm === ADDRESS && isDead(code.low)) code.lowForm = 0;
  if (code.lowForm === 0 || code.highForm === 0) {
    code.lowForm = code.highForm = 0;
  } else if (code.lowForm === ADDRESS && !isAddress(code.highForm)) {
    code.high += code.low;
    code.highForm = u16(ADDRESS);
  }
}

/** Whether some of the ranges are missing since `beginRanges`: the host has to make all of them, of the codes. */
export let areRangesMissing = false;

export function beginRanges(): void {
  dropRanges();
  areRangesMissing = false;
}

/** Adds its ranges. */
export function addRangesOf(code: Code): void {
  if (!tryRangesOf(code)) areRangesMissing = true;
}

function tryRangesOf(code: Code): bool {
  if (code.rangesForm !== 0) return addRangeList(code.rangesForm, code.ranges);
  if (code.lowForm === 0) return true;
  if (code.lowForm !== ADDRESS || code.highForm !== ADDRESS) return false;
  addRange(code.low, code.high);
  return true;
}

/** Whether DW_AT_high_pc of this form is an address; a constant counts from DW_AT_low_pc. */
function isAddress(form: u32): bool {
  return form === ADDRESS || form === ADDRX || (form >= ADDRX1 && form <= ADDRX4) || form === GNU_ADDRESS_INDEX;
}
