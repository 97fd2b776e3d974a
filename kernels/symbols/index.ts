/** The kernel of symbol tables: what core/formats/symbols and core/formats/elf call. One instance is for one table. */

export { allocate } from '../memory';
export { addSymbol, placeColumns, ranks, rows } from './columns';
export { fileCount, fileRows, readElf, untyped, untypedCount } from './elf';
export { makeRanges, namedCount, rangeCount, rangeRows, rangeStarts } from './ranges';
export { scan } from './scan';
