/** Reading some fields of a DIE: a plan made once an abbreviation, run for each DIE of that shape. */
import type { Abbreviation } from './abbreviation.js';
import { Form } from './constants.js';
import type { DwarfCursor, ImageBase } from './cursor.js';
import { FIELD_COUNT, Field, fieldOf, hasField } from './field.js';
import { type Encoding, knownLayout, Layout, readIndirectForm, skipVariable } from './form.js';

/** Fields of one DIE; filled anew for each. What a value means depends on its form. */
export class DieFields {
  /** Bits by `Field`. */
  present = 0;
  /**
   * Numbers, offsets and indexes as they are; object addresses; of blocks, inline texts and signatures, where they begin in the
   * bytes that the cursor is on.
   */
  readonly values = new Float64Array(FIELD_COUNT);
  readonly forms = new Uint16Array(FIELD_COUNT);

  has(field: number): boolean {
    return (this.present & (1 << field)) !== 0;
  }

  /** 0 where the field is absent. */
  number(field: number): number {
    return this.has(field) ? this.values[field]! : 0;
  }
}

/** A step of a plan that reads: followed by field, form, `Kind` and constant. Others skip: bytes, or a `Layout`. */
const READ = -16;

/** How a value is read; 1 to 8 is an unsigned integer of so many bytes. */
const Kind = { address: 16, uleb: 17, sleb: 18, constant: 19, position: 20, indirect: 21 } as const;

/** @param set one of `FieldSet` @param at where the DIE is, for errors */
export function planFields(
  abbreviation: Abbreviation,
  set: number,
  encoding: Encoding,
  at: DwarfCursor,
): readonly number[] {
  let plan = abbreviation.plans[set];
  if (plan === undefined) {
    plan = makePlan(abbreviation, set, encoding, at);
    abbreviation.plans[set] = plan;
  }
  return plan;
}

function makePlan({ attributes }: Abbreviation, set: number, encoding: Encoding, at: DwarfCursor): readonly number[] {
  const plan: number[] = [];
  let canJoin = false;
  for (let index = 0; index < attributes.length; index += 3) {
    const form = attributes[index + 1]!;
    const layout = knownLayout(form, encoding, at);
    const field = fieldOf(attributes[index]!);
    if (field !== undefined && hasField(set, field)) {
      plan.push(READ, field, form, kindOf(form, layout, field), attributes[index + 2]!);
      canJoin = false;
    } else if (layout >= 0 && canJoin) {
      plan[plan.length - 1]! += layout;
    } else {
      plan.push(layout);
      canJoin = layout >= 0;
    }
  }
  return plan;
}

function kindOf(form: number, layout: number, field: number): number {
  if (form === Form.address) return Kind.address;
  if (form === Form.implicitConst || form === Form.flagPresent) return Kind.constant;
  if (form === Form.sdata) return Kind.sleb;
  // A signature needs all of its bits.
  if (field === Field.gnuDwoId || form === Form.refSignature8 || form === Form.data16) return Kind.position;
  if (layout >= 0) return layout;
  if (layout === Layout.leb) return Kind.uleb;
  return layout === Layout.indirect ? Kind.indirect : Kind.position;
}

/** Reads the fields of the DIE whose attributes begin at the cursor, and goes behind it. */
export function readFields(
  cursor: DwarfCursor,
  plan: readonly number[],
  encoding: Encoding,
  base: ImageBase,
  into: DieFields,
): void {
  into.present = 0;
  for (let step = 0; step < plan.length; step++) {
    const skip = plan[step]!;
    if (skip >= 0) cursor.position += skip;
    else if (skip !== READ) skipVariable(cursor, skip, encoding);
    else {
      const field = plan[step + 1]!;
      const form = plan[step + 2]!;
      const kind = plan[step + 3]!;
      into.present |= 1 << field;
      into.forms[field] = form;
      if (kind <= 8) into.values[field] = cursor.unsigned(kind);
      else if (kind === Kind.constant) into.values[field] = plan[step + 4]!;
      else readValue(cursor, kind, form, field, encoding, base, into);
      step += 4;
    }
  }
}

function readValue(
  cursor: DwarfCursor,
  kind: number,
  form: number,
  field: number,
  encoding: Encoding,
  base: ImageBase,
  into: DieFields,
): void {
  const { values } = into;
  switch (kind) {
    case Kind.address:
      values[field] = cursor.address(encoding.addressBytes, base);
      break;
    case Kind.uleb:
      values[field] = cursor.uleb();
      break;
    case Kind.sleb:
      values[field] = cursor.sleb();
      break;
    case Kind.indirect: {
      const actual = readIndirectForm(cursor);
      const layout = knownLayout(actual, encoding, cursor);
      into.forms[field] = actual;
      const actualKind = kindOf(actual, layout, field);
      if (actualKind <= 8) values[field] = cursor.unsigned(actualKind);
      else readValue(cursor, actualKind, actual, field, encoding, base, into);
      break;
    }
    default: {
      values[field] = cursor.position;
      const layout = knownLayout(form, encoding, cursor);
      if (layout >= 0) cursor.position += layout;
      else skipVariable(cursor, layout, encoding);
    }
  }
}
