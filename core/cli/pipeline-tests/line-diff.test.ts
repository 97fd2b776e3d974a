import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { type DiffLine, diffLines } from './line-diff.js';

const shown = (lines: readonly DiffLine[]) => lines.map(({ mark, text }) => `${mark}${text}`);

test('lines of either text are marked, lines of both stand around them', () => {
  const expected = 'a\nb\nc\nd\ne\nf\ng\n';
  assert.deepEqual(diffLines(expected, expected), []);
  assert.deepEqual(shown(diffLines(expected, 'a\nb\nc\nd\nE\nf\ng\n')), [
    '…1 line alike',
    ...[' b', ' c', ' d', '-e', '+E', ' f', ' g'],
  ]);
  assert.deepEqual(shown(diffLines('x\n', '')), ['-x', ' ']);
  assert.deepEqual(shown(diffLines('x\n', 'x')), [' x', '-']);
});

test('blocks that are too large to compare stand against each other', () => {
  const lines = (prefix: string) => Array.from({ length: 2_100 }, (_, index) => `${prefix}${index}`).join('\n');
  const diff = diffLines(lines('a'), lines('b'));
  assert.deepEqual(
    diff.map(({ mark }) => mark),
    [...Array(2_100).fill('-'), ...Array(2_100).fill('+')],
  );
});

test('from the difference either text can be told, and no shorter one is missed', () => {
  const text = fc.array(fc.constantFrom('a', 'b', 'c'), { maxLength: 12 }).map((lines) => `${lines.join('\n')}\n`);
  fc.assert(
    fc.property(text, text, (expected, actual) => {
      fc.pre(expected !== actual);
      const diff = diffLines(expected, actual);
      const alike = (at: number) => Number(/^\d+/.exec(diff[at]!.text)![0]);
      const rebuilt = (own: '-' | '+', source: string) => {
        const lines = source.slice(0, -1).split('\n');
        let at = 0;
        for (const [index, { mark, text: line }] of diff.entries()) {
          if (mark === '…') at += alike(index);
          else if (mark === ' ' || mark === own) assert.equal(lines[at++], line);
        }
        assert.equal(at, lines.length);
      };
      rebuilt('-', expected);
      rebuilt('+', actual);
      const changed = diff.filter(({ mark }) => mark === '-' || mark === '+').length;
      assert.equal(changed, fewestChanges(expected.slice(0, -1).split('\n'), actual.slice(0, -1).split('\n')));
    }),
    { numRuns: 2_000 },
  );
});

/** Lines taken out and put in, by the edit distance without replacing. */
function fewestChanges(before: readonly string[], after: readonly string[]): number {
  let row = after.map((_, index) => index + 1);
  row.unshift(0);
  for (const [i, line] of before.entries()) {
    const next = [i + 1];
    for (const [j, other] of after.entries()) {
      next.push(line === other ? row[j]! : Math.min(row[j + 1]!, next[j]!) + 1);
    }
    row = next;
  }
  return row.at(-1)!;
}
