import assert from 'node:assert/strict';
import { test } from 'node:test';
import { nearest, suggestion } from './nearest.js';

test('a slip finds the name that was meant', () => {
  const names = ['symbolize', 'aggregate', 'mark', 'filter'];
  assert.equal(nearest('simbolize', names), 'symbolize');
  assert.equal(nearest('Symbolise', names), 'symbolize');
  assert.equal(nearest('makr', names), 'mark');
  assert.equal(nearest('agregate', names), 'aggregate');
});

test('a different word finds nothing', () => {
  assert.equal(nearest('merge', ['symbolize', 'mark']), undefined);
  assert.equal(nearest('x', ['mark']), undefined);
  assert.equal(nearest('', ['mark']), undefined);
});

test('without a near name the valid ones are listed while they are few', () => {
  assert.equal(suggestion('makr', ['mark']), '; did you mean "mark"?');
  assert.equal(suggestion('zzz', ['keep', 'drop']), '; valid: keep, drop');
  assert.equal(suggestion('zzz', []), '');
  assert.equal(
    suggestion(
      'zzz',
      Array.from({ length: 13 }, (_, i) => `name${i}`),
    ),
    '',
  );
});
