/** The attributes that symbolizing needs, each a field of a DIE that is read. */
import { Attribute } from './constants.js';
import type { DwarfKernel } from './kernel.js';
import {
  ADDRESS_BASE,
  CALL_COLUMN,
  CALL_FILE,
  CALL_LINE,
  COMPILATION_FOLDER,
  DECLARATION_LINE,
  DWO_NAME,
  FIELD_COUNT,
  GNU_DWO_ID,
  GNU_RANGES_BASE,
  HIGH_PC,
  LINE_TABLE,
  LINKAGE_NAME,
  LOW_PC,
  NAME,
  ORIGIN,
  RANGE_LISTS_BASE,
  RANGES,
  SIBLING,
  SPECIFICATION,
  STRING_OFFSETS_BASE,
} from './kernel-codes.js';

export const Field = {
  lowPc: LOW_PC,
  highPc: HIGH_PC,
  ranges: RANGES,
  name: NAME,
  linkageName: LINKAGE_NAME,
  origin: ORIGIN,
  specification: SPECIFICATION,
  declarationLine: DECLARATION_LINE,
  callFile: CALL_FILE,
  callLine: CALL_LINE,
  callColumn: CALL_COLUMN,
  lineTable: LINE_TABLE,
  compilationFolder: COMPILATION_FOLDER,
  stringOffsetsBase: STRING_OFFSETS_BASE,
  addressBase: ADDRESS_BASE,
  rangeListsBase: RANGE_LISTS_BASE,
  gnuRangesBase: GNU_RANGES_BASE,
  dwoName: DWO_NAME,
  gnuDwoId: GNU_DWO_ID,
  sibling: SIBLING,
} as const;

const FIELD_OF: ReadonlyMap<number, number> = new Map([
  [Attribute.lowPc, Field.lowPc],
  [Attribute.highPc, Field.highPc],
  [Attribute.ranges, Field.ranges],
  [Attribute.name, Field.name],
  [Attribute.linkageName, Field.linkageName],
  [Attribute.mipsLinkageName, Field.linkageName],
  [Attribute.abstractOrigin, Field.origin],
  [Attribute.specification, Field.specification],
  [Attribute.declarationLine, Field.declarationLine],
  [Attribute.callFile, Field.callFile],
  [Attribute.callLine, Field.callLine],
  [Attribute.callColumn, Field.callColumn],
  [Attribute.statementList, Field.lineTable],
  [Attribute.compilationFolder, Field.compilationFolder],
  [Attribute.stringOffsetsBase, Field.stringOffsetsBase],
  [Attribute.addressBase, Field.addressBase],
  [Attribute.gnuAddressBase, Field.addressBase],
  [Attribute.rangeListsBase, Field.rangeListsBase],
  [Attribute.gnuRangesBase, Field.gnuRangesBase],
  [Attribute.dwoName, Field.dwoName],
  [Attribute.gnuDwoName, Field.dwoName],
  [Attribute.gnuDwoId, Field.gnuDwoId],
  [Attribute.sibling, Field.sibling],
]);

/** @returns undefined for an attribute that is not looked at */
export function fieldOf(attribute: number): number | undefined {
  return FIELD_OF.get(attribute);
}

/** Words of what a kernel says of a DIE besides its fields: see kernels/dwarf/die.ts. */
export const HeadWord = { isDie: 0, tag: 1, hasChildren: 2, present: 3 } as const;

/** Fields of one DIE; filled anew for each. What a value means depends on its form. */
export class DieFields {
  /** Bits by `Field`. */
  present = 0;
  /**
   * Numbers, offsets and indexes as they are; object addresses; of blocks, inline texts and signatures, their position in the unit.
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

  /** Takes the DIE that a kernel read. */
  copy({ doubles, words, head, values, forms }: DwarfKernel): void {
    this.present = words[head + HeadWord.present]!;
    for (let left = this.present; left !== 0; left &= left - 1) {
      const field = 31 - Math.clz32(left & -left);
      this.values[field] = doubles[values + field]!;
      this.forms[field] = words[forms + (field >>> 1)]! >>> ((field & 1) << 4);
    }
  }

  /** @param form 0 for a field that is absent */
  set(field: number, form: number, value: number): void {
    if (form === 0) return;
    this.present |= 1 << field;
    this.values[field] = value;
    this.forms[field] = form;
  }
}
