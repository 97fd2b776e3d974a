/**
 * Numbers of the standard that are looked at here, by its names in camel case. Source: DWARF 5, chapter 7 (tables 7.3, 7.5, 7.6,
 * 7.2, 7.25-7.27, 7.30, 7.1); the GNU ones: binutils include/dwarf2.def; versions 2 to 4 use subsets of the same numbers.
 */

export const Tag = {
  compileUnit: 0x11,
  inlinedSubroutine: 0x1d,
  subprogram: 0x2e,
  partialUnit: 0x3c,
  skeletonUnit: 0x4a,
} as const;

export const Attribute = {
  sibling: 0x01,
  name: 0x03,
  statementList: 0x10,
  lowPc: 0x11,
  highPc: 0x12,
  compilationFolder: 0x1b,
  abstractOrigin: 0x31,
  declarationLine: 0x3b,
  specification: 0x47,
  ranges: 0x55,
  callColumn: 0x57,
  callFile: 0x58,
  callLine: 0x59,
  linkageName: 0x6e,
  stringOffsetsBase: 0x72,
  addressBase: 0x73,
  rangeListsBase: 0x74,
  dwoName: 0x76,
  mipsLinkageName: 0x2007,
  gnuDwoName: 0x2130,
  gnuDwoId: 0x2131,
  gnuRangesBase: 0x2132,
  gnuAddressBase: 0x2133,
} as const;

export const Form = {
  address: 0x01,
  block2: 0x03,
  block4: 0x04,
  data2: 0x05,
  data4: 0x06,
  data8: 0x07,
  string: 0x08,
  block: 0x09,
  block1: 0x0a,
  data1: 0x0b,
  flag: 0x0c,
  sdata: 0x0d,
  strp: 0x0e,
  udata: 0x0f,
  refAddress: 0x10,
  ref1: 0x11,
  ref2: 0x12,
  ref4: 0x13,
  ref8: 0x14,
  refUdata: 0x15,
  indirect: 0x16,
  sectionOffset: 0x17,
  expression: 0x18,
  flagPresent: 0x19,
  strx: 0x1a,
  addrx: 0x1b,
  refSup4: 0x1c,
  strpSup: 0x1d,
  data16: 0x1e,
  lineStrp: 0x1f,
  refSignature8: 0x20,
  implicitConst: 0x21,
  loclistx: 0x22,
  rnglistx: 0x23,
  refSup8: 0x24,
  strx1: 0x25,
  strx2: 0x26,
  strx3: 0x27,
  strx4: 0x28,
  addrx1: 0x29,
  addrx2: 0x2a,
  addrx3: 0x2b,
  addrx4: 0x2c,
  gnuAddressIndex: 0x1f01,
  gnuStringIndex: 0x1f02,
  gnuRefAlternate: 0x1f20,
  gnuStrpAlternate: 0x1f21,
} as const;

/** Of a version 5 unit's header. Before, all units of `.debug_info` are `compile`. */
export const UnitType = { compile: 1, type: 2, partial: 3, skeleton: 4, splitCompile: 5, splitType: 6 } as const;

/** `.debug_rnglists` entries. */
export const RangeEntry = {
  endOfList: 0,
  baseAddressx: 1,
  startxEndx: 2,
  startxLength: 3,
  offsetPair: 4,
  baseAddress: 5,
  startEnd: 6,
  startLength: 7,
} as const;

/** Columns of a `.dwp` index: version 5 and, where it differs, GNU's version 2. */
export const IndexColumn = { info: 1, abbreviations: 3, line: 4, stringOffsets: 6, rangeLists: 8 } as const;
