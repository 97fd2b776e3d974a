/** The kernel of DWARF: what core/formats/dwarf calls. It keeps nothing from one call of it to the next but what is said here. */

export { setImageBase } from './addresses';
export { input, placeInput } from './input';
export {
  columns,
  fileCount,
  fileEntries,
  files,
  lines,
  offsets,
  rowCount,
  runLineProgram,
  sequenceCount,
  sequenceEnds,
  sequenceRows,
  sequenceStarts,
} from './lines';
