/** The kernel of merging: what core/profile/merge calls. */
import { clearInputs } from './inputs';
import { clear } from './state';
import { addEmptyString } from './strings';

export { allocate, release } from '../memory';
export {
  beginFinish,
  numberMapping,
  numberString,
  resultFunctions,
  resultLines,
  resultLocations,
  resultMappings,
  resultSamples,
  resultStringBytes,
  resultStrings,
  writeFunctions,
  writeLabelStarts,
  writeLabels,
  writeLines,
  writeLocations,
  writeMappings,
  writeStackStarts,
  writeStacks,
  writeStrings,
  writeValues,
} from './finish';
export { compareInputs, inputCount } from './inputs';
export { labelKeys } from './label-keys';
export { addMerge } from './merge';
export { orderSamples } from './order';
export { addProfile } from './profile';
export { columnAt, columnCount, columnLength, restoreColumn, usedBytes } from './state';
export { compareStrings, stringCount } from './strings';
export { sumAt } from './sums';

/** Forgets what was merged. To be called before anything is added or restored; the memory stays. */
export function begin(): void {
  clear();
  clearInputs();
}

/** Of a merge that is not restored from another: row 0 of its strings is "". */
export function beginEmpty(): void {
  begin();
  addEmptyString();
}
