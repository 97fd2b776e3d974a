import assert from 'node:assert/strict';
import { test } from 'node:test';
import { escapeJson, escapeText } from './escape.js';

test('what steers a terminal is shown, not obeyed', () => {
  assert.equal(escapeText('\x1b[31mred\x07'), '\\x1b[31mred\\x07');
  assert.equal(escapeText('a\nb\tc\rd\x7f'), 'a\\nb\\tc\\rd\\x7f');
  assert.equal(escapeText('c1 \u0080\u009b\u009f end'), 'c1 \\x80\\x9b\\x9f end');
  assert.equal(escapeText('bidi \u202e\u2066\u200f'), 'bidi \\u202e\\u2066\\u200f');
});

test('other text stays as it is, beyond the basic plane too', () => {
  const text = 'main.(*T[go.shape.int]).Größe·f 日本 😀 \\n';
  assert.equal(escapeText(text), text);
  assert.equal(escapeText('lone \ud800'), 'lone \\ud800');
});

test('escaped JSON means the same', () => {
  const value = { name: 'a\x1b\x7f\u009b\u202e\n"😀', list: [1, '\ud800'] };
  const json = escapeJson(JSON.stringify(value));
  assert.match(json, /^[^\x00-\x1f\x7f-\x9f\u202a-\u202e]*$/);
  assert.deepEqual(JSON.parse(json), value);
});
