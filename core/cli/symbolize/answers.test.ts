import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { SymbolFrame } from '../../binary/symbols/source.js';
import { type AnswerForm, Answers } from './answers.js';
import { NO_NUMBER, OUTSIDE } from './kernel-codes.js';

const json: AnswerForm = { isJson: true, withAddress: false };
const frame: SymbolFrame = { function: 'f', systemName: 'f', file: '/a.c', line: 7, column: 3, startLine: 5 };

function read(form: AnswerForm, text: string, isDecimal = false, base = 0n): Answers {
  const answers = new Answers(form);
  answers.read(Buffer.from(text), isDecimal, base);
  return answers;
}

const textOf = (answers: Answers) => Array.from(answers.pieces(), (piece) => Buffer.from(piece).toString()).join('');

test('numbers are read, with or without 0x, and the base is taken off', () => {
  const lines = [
    '0x1010',
    '1010',
    '00000000000000000000101F',
    '0X1010',
    'fff',
    '0x',
    '',
    ' 0x1',
    'x1',
    '12345678123456781',
  ];
  const answers = read(json, lines.join('\n'), false, 0x1000n);
  const none = NO_NUMBER;
  assert.deepEqual([...answers.addresses], [0x10, 0x10, 0x1f, 0x10, OUTSIDE, none, none, none, none, none]);
  assert.deepEqual(answers.unanswered(true), [0, 1, 2, 3, 4]);
  assert.deepEqual([answers.address(2), answers.text(2)], [0x101fn, lines[2]]);
});

test('what a double does not hold exactly is outside, unless the base is as large', () => {
  const large = `${(2n ** 53n).toString(16)}\nffffffff81000000`;
  assert.deepEqual([...read(json, large).addresses], [OUTSIDE, OUTSIDE]);
  assert.deepEqual([...read(json, large, false, 0xffffffff80000000n).addresses], [OUTSIDE, 0x1000000]);
});

test('numbers without 0x may be decimal', () => {
  assert.deepEqual([...read(json, '10\n0x10', true).addresses], [NO_NUMBER, 16]);
});

test('an object a line has what JSON.stringify would write', () => {
  const answers = read(json, '0\n0x10\nffffffffffffffff');
  const odd = { ...frame, function: 'a"b\\c\n', systemName: '_Zé', file: '', line: 0, column: 2 ** 32, startLine: -1 };
  answers.answer(0, []);
  answers.answer(1, [odd, frame]);
  answers.answerAs(2, 1);
  const frames = [odd, frame].map(({ function: name, systemName, ...place }, row) => {
    return { function: name, ...(systemName !== name && { systemName }), ...place, inlined: row === 0 };
  });
  const expected = [
    { address: '0x0', frames: [] },
    { address: '0x10', frames },
    { address: '0xffffffffffffffff', frames },
  ];
  assert.equal(textOf(answers), expected.map((answer) => `${JSON.stringify(answer)}\n`).join(''));
});

test('text is as llvm-symbolizer prints it', () => {
  const answer = (withAddress: boolean) => {
    const answers = read({ isJson: false, withAddress }, '10\nmain\u009b');
    answers.answer(0, [{ ...frame, function: '', file: 'x\ty' }, frame]);
    answers.answerNone(1, 'main\u009b');
    return textOf(answers);
  };
  assert.equal(answer(false), '??\nx\\ty:7:3\nf\n/a.c:7:3\n\n??\n??:0:0\n\n');
  assert.equal(answer(true), '0x10\n??\nx\\ty:7:3\nf\n/a.c:7:3\n\nmain\\x9b\n??\n??:0:0\n\n');
});

test('rows are answers but where their texts are not to be written as they are', () => {
  const names = ['main.f', '_cgo_f', 'main.g["x"]', 'main.é'];
  const files = ['/a.go', ''];
  const offset = (texts: readonly string[], row: number) =>
    Buffer.byteLength(texts.slice(0, row).join('\0')) + Math.min(row, 1);
  const table = (texts: readonly string[]) => Buffer.from(`${texts.join('\0')}\0`);
  const answers = read(json, '1\n2\n3\n4\n5\n6\n7');
  const rows = [
    [0, 0],
    [0, 0],
    [1, 0],
    [2, 0],
    [3, 0],
    [0, 1],
  ].flatMap(([name, file]) => [offset(names, name!), offset(files, file!), 8, 4]);
  const counts = Int32Array.of(2, 0, -1, 1, 1, 1, 1);
  answers.addRows(0, { counts, rows: Int32Array.from(rows), names: table(names), files: table(files) });
  assert.deepEqual(answers.unanswered(true), [2, 3, 4, 5, 6]);
  for (const line of answers.unanswered(true)) answers.answer(line, []);
  const [first] = textOf(answers).split('\n');
  const plain = { function: 'main.f', file: '/a.go', line: 8, column: 0, startLine: 4 };
  const frames = [
    { ...plain, inlined: true },
    { ...plain, inlined: false },
  ];
  assert.deepEqual(JSON.parse(first!), { address: '0x1', frames });
});

test('answers come in pieces, a long one whole', () => {
  const answers = read(json, '1\n2\n3');
  const long = { ...frame, function: 'x'.repeat(3e5), systemName: 'x'.repeat(3e5) };
  answers.answer(0, [frame]);
  answers.answer(1, [long, long]);
  answers.answer(2, [frame]);
  const pieces = Array.from(answers.pieces(), (piece) => Buffer.from(piece).toString());
  assert.ok(pieces.length > 1 && pieces.every((piece) => piece.endsWith('\n')));
  const lines = pieces.join('').trimEnd().split('\n');
  assert.deepEqual(
    lines.map((line) => JSON.parse(line).frames[0].function.length),
    [1, 3e5, 1],
  );
});

test('texts are forgotten when they have become many, and no answer with them', () => {
  const answers = new Answers(json);
  for (let batch = 0; batch < 3; batch++) {
    const lines = Array.from({ length: 10_000 }, (_, row) => row + 1);
    answers.read(Buffer.from(lines.map((line) => line.toString(16)).join('\n')), false, 0n);
    for (const line of lines) answers.answer(line - 1, [{ ...frame, function: `f${batch}_${line}` }]);
    const names = textOf(answers)
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line).frames[0].function);
    assert.deepEqual(
      names,
      lines.map((line) => `f${batch}_${line}`),
    );
  }
});
