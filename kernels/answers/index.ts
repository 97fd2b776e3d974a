/** The kernel of `pipe binary symbolize`: reads lines with addresses, and writes what stands there. An instance is for one call of it. */

export { allocate, release } from '../memory';
export { addFrame, frameCount } from './frames';
export { addresses, answer, answerText, lineCount, lines, nameAddress, placeInput, readLines } from './lines';
export { addRows } from './rows';
export { out, writeAnswers, written } from './write';
