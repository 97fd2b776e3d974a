/** Texts of symbols, a line each. */
import { FormatError } from '../errors.js';
import type { Budget } from '../limits.js';

const LINE_FEED = 0x0a;
const decoder = new TextDecoder();

/**
 * @param row a line without its end, its number from 1, and whether it has an end: one without may be cut
 * @throws FormatError for a line over the limit `stringBytes`, or more lines than `tableRows`
 */
export function forEachLine(
  bytes: Uint8Array,
  budget: Budget,
  row: (line: string, number: number, isWhole: boolean) => void,
): void {
  let number = 0;
  for (let start = 0; start < bytes.length; ) {
    const found = bytes.indexOf(LINE_FEED, start);
    const end = found < 0 ? bytes.length : found;
    number++;
    const place = { section: `line ${number}` };
    budget.check('stringBytes', end - start, place);
    budget.check('tableRows', number, place);
    row(decoder.decode(bytes.subarray(start, end)).replace(/\r$/, ''), number, found >= 0);
    start = end + 1;
  }
}

export function spoiltLine(code: string, wanted: string, line: string, number: number): FormatError {
  return new FormatError(code, `not ${wanted}`, { section: `line ${number}`, got: JSON.stringify(line.slice(0, 80)) });
}
