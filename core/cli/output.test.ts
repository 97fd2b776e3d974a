import assert from 'node:assert/strict';
import { PassThrough } from 'node:stream';
import { test } from 'node:test';
import { type ColorMode, Output } from './output.js';

function written(write: (out: Output) => void, color: ColorMode = 'never'): string {
  const stream = new PassThrough();
  const out = new Output(stream as unknown as NodeJS.WriteStream, color);
  write(out);
  out.flush();
  return String(stream.read() ?? '');
}

test('a line is masked and escaped, its colours are not', () => {
  const text = written((out) => {
    out.mask(['tok\x1ben']);
    out.line({ text: 'bad \x1b[0m', style: 'red' }, ' tok\x1ben');
  }, 'always');
  assert.equal(text, '\x1b[31mbad \\x1b[0m\x1b[39m ***\n');
});

test('JSON has secrets masked and integers exact', () => {
  const value = {
    path: '/s3cret/x',
    small: 9007199254740991n,
    large: 9007199254740993n,
    negative: -9223372036854775808n,
  };
  const text = written((out) => {
    out.mask(['s3cret']);
    out.json(value);
  });
  const expected =
    '{"path":"/***/x","small":9007199254740991,"large":"9007199254740993","negative":"-9223372036854775808"}\n';
  assert.equal(text, expected);
});

test('a secret with characters that JSON escapes is masked', () => {
  assert.equal(
    written((out) => {
      out.mask(['a"b\n']);
      out.json('x a"b\n y');
    }),
    '"x *** y"\n',
  );
});

test('bytes may be changed when they are written, and come after the text before them', async () => {
  const stream = new PassThrough();
  const out = new Output(stream as unknown as NodeJS.WriteStream, 'never');
  const chunks: string[] = [];
  stream.on('data', (chunk) => chunks.push(String(chunk)));
  const bytes = Buffer.from('1\n');
  out.line('0');
  await out.bytes(bytes);
  bytes.write('2');
  await out.bytes(bytes);
  assert.equal(chunks.join(''), '0\n1\n2\n');
  stream.destroy();
  await out.bytes(bytes);
});
