/** The difference of two texts, line by line. */

export interface DiffLine {
  /** `-`: expected and not there; `+`: there and not expected; space: in both; `…`: lines left out, `text` says how many. */
  readonly mark: '-' | '+' | ' ' | '…';
  readonly text: string;
}

/** Lines in both that are shown around a difference. */
const CONTEXT = 3;
/** Pairs of lines that are compared at most; beyond that a block stands against a block. */
const MAX_PAIRS = 4_000_000;

/** Nothing for equal texts. */
export function diffLines(expected: string, actual: string): DiffLine[] {
  if (expected === actual) return [];
  const haveEnds = expected.endsWith('\n') && actual.endsWith('\n');
  const linesOf = (text: string) => (haveEnds ? text.slice(0, -1) : text).split('\n');
  const [before, after] = [linesOf(expected), linesOf(actual)];
  let start = 0;
  while (start < before.length && start < after.length && before[start] === after[start]) start++;
  let end = 0;
  const most = Math.min(before.length, after.length) - start;
  while (end < most && before.at(-1 - end) === after.at(-1 - end)) end++;
  const middle = (lines: readonly string[]) => lines.slice(start, lines.length - end);
  return withContext([
    ...marked(' ', before.slice(0, start)),
    ...diffMiddle(middle(before), middle(after)),
    ...marked(' ', before.slice(before.length - end)),
  ]);
}

const marked = (mark: DiffLine['mark'], lines: readonly string[]): DiffLine[] => lines.map((text) => ({ mark, text }));

/** By the longest common subsequence. */
function diffMiddle(before: readonly string[], after: readonly string[]): DiffLine[] {
  const width = after.length + 1;
  if (before.length * after.length > MAX_PAIRS) return [...marked('-', before), ...marked('+', after)];
  /** At [i, j]: length of the longest common subsequence of before[i…] and after[j…]. */
  const common = new Uint16Array((before.length + 1) * width);
  for (let i = before.length - 1; i >= 0; i--) {
    for (let j = after.length - 1; j >= 0; j--) {
      const at = i * width + j;
      common[at] =
        before[i] === after[j] ? common[at + width + 1]! + 1 : Math.max(common[at + width]!, common[at + 1]!);
    }
  }
  const lines: DiffLine[] = [];
  let [i, j] = [0, 0];
  while (i < before.length || j < after.length) {
    const at = i * width + j;
    if (i < before.length && j < after.length && before[i] === after[j]) {
      lines.push({ mark: ' ', text: before[i]! });
      i++;
      j++;
    } else if (j === after.length || (i < before.length && common[at + width]! >= common[at + 1]!)) {
      lines.push({ mark: '-', text: before[i]! });
      i++;
    } else {
      lines.push({ mark: '+', text: after[j]! });
      j++;
    }
  }
  return lines;
}

function withContext(lines: readonly DiffLine[]): DiffLine[] {
  const isNear = new Uint8Array(lines.length);
  for (const [index, { mark }] of lines.entries()) {
    if (mark !== ' ') isNear.fill(1, Math.max(0, index - CONTEXT), index + CONTEXT + 1);
  }
  const shown: DiffLine[] = [];
  for (let index = 0; index < lines.length; index++) {
    if (isNear[index] === 1) {
      shown.push(lines[index]!);
      continue;
    }
    const next = isNear.indexOf(1, index);
    const alike = (next < 0 ? lines.length : next) - index;
    shown.push({ mark: '…', text: `${alike} ${alike === 1 ? 'line' : 'lines'} alike` });
    index += alike - 1;
  }
  return shown;
}
