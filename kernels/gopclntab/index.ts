/** The kernel of Go's function table: what core/formats/gopclntab calls. An instance is for one table. */

export { counts, frameRows, places, placesDone, rowCount, rows, useTrees } from './frames';
export { cachedBytes, isFound, valueAt } from './pc-tables';
export { enter, findFunction, move, placeAddress, useInlineNumbers } from './place';
export { describeTable, entries, fileOffsets, held, names, placeTable, records } from './table';
