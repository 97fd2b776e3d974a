/** The attributes that symbolizing needs, each a field of a DIE that is read. */
import { Attribute } from './constants.js';

export const Field = {
  lowPc: 0,
  highPc: 1,
  ranges: 2,
  name: 3,
  linkageName: 4,
  origin: 5,
  specification: 6,
  declarationLine: 7,
  callFile: 8,
  callLine: 9,
  callColumn: 10,
  lineTable: 11,
  compilationFolder: 12,
  stringOffsetsBase: 13,
  addressBase: 14,
  rangeListsBase: 15,
  gnuRangesBase: 16,
  dwoName: 17,
  gnuDwoId: 18,
  sibling: 19,
} as const;
export const FIELD_COUNT = 20;

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

/** Which fields of a DIE are read at once. */
export const FieldSet = {
  /** Where its code lies. */
  code: 0,
  /** Of an inlined subroutine. */
  call: 1,
  /** What a function is called. */
  naming: 2,
  /** Of a unit's first DIE. */
  unit: 3,
  /** Where the next DIE of the same parent is. */
  sibling: 4,
} as const;

const FIELDS: readonly (readonly number[])[] = [
  [Field.lowPc, Field.highPc, Field.ranges],
  [Field.lowPc, Field.highPc, Field.ranges, Field.origin, Field.callFile, Field.callLine, Field.callColumn],
  [Field.name, Field.linkageName, Field.origin, Field.specification, Field.declarationLine],
  [
    Field.lowPc,
    Field.highPc,
    Field.ranges,
    Field.lineTable,
    Field.compilationFolder,
    Field.stringOffsetsBase,
    Field.addressBase,
    Field.rangeListsBase,
    Field.gnuRangesBase,
    Field.dwoName,
    Field.gnuDwoId,
  ],
  [Field.sibling],
];

/** By set, bits by `Field`. */
const FIELD_BITS = FIELDS.map((fields) => fields.reduce((bits, field) => bits | (1 << field), 0));

/** @param set one of `FieldSet` */
export function hasField(set: number, field: number): boolean {
  return (FIELD_BITS[set]! & (1 << field)) !== 0;
}

/** @returns undefined for an attribute that is not looked at */
export function fieldOf(attribute: number): number | undefined {
  return FIELD_OF.get(attribute);
}
