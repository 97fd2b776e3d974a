/** Lines of a text that comes in pieces. */
import { type Budget, type ByteInput, FormatError, quoteText } from '../../../core/index.js';

/** Bytes that become a string at once. */
const SLICE_BYTES = 256 * 1024;
/** What an error shows of a line. */
const EXCERPT_LENGTH = 80;

export interface Line {
  /** Without its end, be that `\n` or `\r\n`. */
  readonly text: string;
  /** From 1. */
  readonly number: number;
  /** False for a last line behind which the text breaks off. */
  readonly ended: boolean;
}

/**
 * Gives each line to `onLine`, in order; holds one piece of the text at a time. A byte order mark is left out.
 *
 * @returns whether bytes that are no UTF-8 were met; they are U+FFFD in the lines
 * @throws FormatError E_LIMIT for a line above the limit stringBytes, whatever `onLine` throws
 */
export async function readLines(input: ByteInput, budget: Budget, onLine: (line: Line) => void): Promise<boolean> {
  const decoder = new TextDecoder();
  let rest = '';
  let number = 0;
  let isInvalid = false;
  const take = (text: string): void => {
    isInvalid ||= text.includes('\ufffd');
    let start = 0;
    for (let end = text.indexOf('\n'); end >= 0; end = text.indexOf('\n', start)) {
      const line = rest + text.slice(start, end);
      rest = '';
      start = end + 1;
      number++;
      check(line);
      onLine({ text: line.endsWith('\r') ? line.slice(0, -1) : line, number, ended: true });
    }
    rest += text.slice(start);
    check(rest);
  };
  const check = (line: string): void => {
    if (line.length > budget.limits.stringBytes)
      budget.check('stringBytes', line.length, { section: `line ${number + 1}` });
  };
  for await (const piece of input.chunks()) {
    for (let at = 0; at < piece.length; at += SLICE_BYTES) {
      take(decoder.decode(piece.subarray(at, at + SLICE_BYTES), { stream: true }));
    }
  }
  take(decoder.decode());
  if (rest !== '') onLine({ text: rest, number: number + 1, ended: false });
  return isInvalid;
}

/** What a line should be and is not. */
export function lineError(line: Line, wanted: string, cause?: unknown): FormatError {
  const { text } = line;
  const excerpt = quoteText(text.length > EXCERPT_LENGTH ? `${text.slice(0, EXCERPT_LENGTH)}…` : text);
  return new FormatError(
    'E_GOROUTINE_TEXT',
    `${wanted} wanted`,
    { section: `line ${line.number}`, got: excerpt },
    { cause },
  );
}
