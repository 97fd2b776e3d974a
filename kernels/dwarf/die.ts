/** Reading fields of a DIE. What a value means depends on its form. */
import {
  CALL_COLUMN,
  CALL_FILE,
  CALL_LINE,
  DECLARATION_LINE,
  FIELD_COUNT,
  FORM_NOT_KNOWN,
  GNU_DWO_ID,
  HIGH_PC,
  INDIRECT,
  LEB,
  LINKAGE_NAME,
  LOW_PC,
  NAME,
  ORIGIN,
  RANGES,
  SIBLING,
  SPECIFICATION,
  UNKNOWN,
} from '../../core/formats/dwarf/kernel-codes';
import { Abbreviation, Attribute, abbreviationOf, addressBytes, layouts, useTable } from './abbreviations';
import { readAddress } from './addresses';
import { layoutOf, NO_FIELD, skipVariable } from './forms';
import { fail } from './imports';
import { input, origin } from './input';
import { next, readSigned, readUnsigned } from './leb128';
import {
  ADDRESS,
  DATA16,
  FLAG_PRESENT,
  FORM_INDIRECT,
  IMPLICIT_CONST,
  REF_SIGNATURE8,
  REF_UDATA,
  REF1,
  SDATA,
} from './numbers';

/** Sets of fields, as bits. */
export const CODE_FIELDS: u32 = (1 << LOW_PC) | (1 << HIGH_PC) | (1 << RANGES);
export const CALL_FIELDS: u32 = CODE_FIELDS | (1 << ORIGIN) | (1 << CALL_FILE) | (1 << CALL_LINE) | (1 << CALL_COLUMN);
export const SIBLING_FIELD: u32 = 1 << SIBLING;
export const NAME_FIELDS: u32 =
  (1 << NAME) | (1 << LINKAGE_NAME) | (1 << DECLARATION_LINE) | (1 << ORIGIN) | (1 << SPECIFICATION);
const ALL_FIELDS: u32 = (1 << FIELD_COUNT) - 1;

/** Of the DIE that was read last: bits by field. */
export let present: u32 = 0;
/**
 * By field. Numbers, offsets and indexes as they are; object addresses; of blocks, inline texts and signatures, where they begin in
 * the unit.
 */
export const values: usize = memory.data(FIELD_COUNT * sizeof<f64>(), 8);
export const forms: usize = memory.data(FIELD_COUNT * sizeof<u16>(), 8);

/** What `readDie` says of a DIE besides its fields, for the host: reading a global takes it longer than reading memory. */
class Head {
  /** 0 where none is: at the end of a list of them. */
  isDie!: u32;
  tag!: u32;
  hasChildren!: u32;
  present!: u32;
}

const head = changetype<Head>(memory.data(offsetof<Head>(), 8));
export const headAddress: usize = changetype<usize>(head);

export function has(field: u32): bool {
  return (present & (1 << field)) !== 0;
}

export function numberOf(field: u32): f64 {
  return has(field) ? load<f64>(values + field * sizeof<f64>()) : 0;
}

/** @returns 0 for a field that is absent */
export function formOf(field: u32): u32 {
  return has(field) ? load<u16>(forms + field * sizeof<u16>()) : 0;
}

/** Where the DIE is that a field refers to; 0 for one that is not in the input. */
export function placeOf(field: u32, end: usize): usize {
  const form = formOf(field);
  const position = numberOf(field);
  if (form < REF1 || form > REF_UDATA || position > f64(end - input) + f64(origin) || position < f64(origin)) return 0;
  return input + usize(position) - origin;
}

/**
 * Reads all fields of the DIE at `at`.
 * @returns bytes that were read: more than there are for one that goes on behind the input
 */
export function readDie(table: usize, at: usize, end: usize): u32 {
  useTable(table);
  present = 0;
  head.isDie = head.tag = head.hasChildren = head.present = 0;
  const code = readUnsigned(at);
  if (code === 0 || next > end) return u32(next - at);
  const abbreviation = abbreviationOf(code);
  head.isDie = 1;
  head.tag = abbreviation.tag;
  head.hasChildren = u32(abbreviation.hasChildren);
  const behind = readFields(abbreviation, next, end, ALL_FIELDS);
  head.present = present;
  return u32(behind - at);
}

/** Reads some fields of the DIE at `at`: none of what is no DIE. @returns behind it; somewhere behind `end` when it is cut */
export function readFieldsAt(at: usize, end: usize, fields: u32): usize {
  present = 0;
  const code = readUnsigned(at);
  return code === 0 || next > end ? next : readFields(abbreviationOf(code), next, end, fields);
}

/** Reads some fields of the DIE whose attributes begin at `at`. @returns behind it; somewhere behind `end` when it is cut */
export function readFields(abbreviation: Abbreviation, at: usize, end: usize, fields: u32): usize {
  present = 0;
  let place = changetype<usize>(abbreviation) + offsetof<Abbreviation>();
  for (let left = abbreviation.attributeCount; left > 0 && at <= end; left--) {
    const attribute = changetype<Attribute>(place);
    const layout = i32(attribute.layout);
    const field = u32(attribute.field);
    if (field !== NO_FIELD && ((fields >> field) & 1) !== 0) at = readField(attribute, at, end);
    else if (layout >= 0) at += layout;
    else if (layout === INDIRECT) at = skipIndirect(at, end);
    else at = skipVariable(at, end, layout);
    place += offsetof<Attribute>();
  }
  return at;
}

function readField(attribute: Attribute, at: usize, end: usize): usize {
  const field = u32(attribute.field);
  if (attribute.layout !== INDIRECT) {
    return readValue(field, attribute.form, attribute.layout, attribute.constant, at, end);
  }
  const form = readIndirectForm(at);
  return readValue(field, form, layoutOf(layouts, form), 0, next, end);
}

/** @returns behind the value */
function readValue(field: u32, form: u32, layout: i32, constant: f64, at: usize, end: usize): usize {
  let value: f64;
  let behind = at + layout;
  if (form === ADDRESS) {
    value = readAddress(at, addressBytes);
  } else if (form === IMPLICIT_CONST || form === FLAG_PRESENT) {
    value = constant;
  } else if (form === SDATA) {
    value = f64(readSigned(at));
    behind = next;
  } else if (form === REF_SIGNATURE8 || form === DATA16 || field === GNU_DWO_ID || (layout < 0 && layout !== LEB)) {
    value = f64(at - input + origin);
    if (layout < 0) behind = skipVariable(at, end, layout);
  } else if (layout === LEB) {
    value = f64(readUnsigned(at));
    behind = next;
  } else {
    value = readNumber(at, layout);
  }
  present |= 1 << field;
  store<f64>(values + field * sizeof<f64>(), value);
  store<u16>(forms + field * sizeof<u16>(), u16(form));
  return behind;
}

/** @param bytes 1, 2, 3, 4 or 8 */
export function readNumber(at: usize, bytes: i32): f64 {
  switch (bytes) {
    case 1:
      return f64(load<u8>(at));
    case 2:
      return f64(load<u16>(at));
    case 3:
      return f64(load<u32>(at) & 0xffffff);
    case 4:
      return f64(load<u32>(at));
    default:
      return f64(load<u64>(at));
  }
}

export function skipFields(abbreviation: Abbreviation, at: usize, end: usize): usize {
  return abbreviation.fixedBytes >= 0 ? at + abbreviation.fixedBytes : readFields(abbreviation, at, end, 0);
}

function skipIndirect(at: usize, end: usize): usize {
  const layout = layoutOf(layouts, readIndirectForm(at));
  return layout >= 0 ? next + layout : skipVariable(next, end, layout);
}

/** The form that stands before its value; that is at `next`. Throws for one that is not known, or is indirect again. */
function readIndirectForm(at: usize): u32 {
  const form = readUnsigned(at);
  if (form === FORM_INDIRECT || form === IMPLICIT_CONST || layoutOf(layouts, form) === UNKNOWN) {
    fail(FORM_NOT_KNOWN, u32(next - input), f64(form));
  }
  return u32(form);
}
