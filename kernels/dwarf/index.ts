/** The kernel of DWARF: what core/formats/dwarf calls. Tables of abbreviations stay; what comes out of a call does up to the next. */

export { allocate, release } from '../memory';
export { readTable } from './abbreviations';
export { setImageBase } from './addresses';
export { callCodes, callCount, callRows, readCalls } from './calls';
export { areRangesMissing } from './code';
export { forms, headAddress, readDie, values } from './die';
export { fieldNumbers } from './forms';
export { functionCodes, functionCount, functionEnds, functionPositions, readFunctions } from './functions';
export { placeInput, useInput } from './input';
export { folderCount, pathCount, pathRows, readLineFiles } from './line-files';
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
export { functionName, readFunctionName } from './names';
export { codeRangeCount, codeRanges, useRangeLists } from './range-lists';
export { addTuples, placeRanges, rangeCount, rangeHighs, rangeLows, rangeOwners, sortRanges } from './ranges';
