import assert from 'node:assert/strict';
import { test } from 'node:test';
import { compareBuildId } from './build-id.js';

const binary = { gnuBuildId: 'ab12', goBuildId: 'Xy/z' };

test('a GNU build ID or UUID is compared whatever its case and dashes', () => {
  assert.equal(compareBuildId(binary, 'ab12'), 'same');
  assert.equal(compareBuildId(binary, 'AB12'), 'same');
  assert.equal(compareBuildId(binary, 'ab13'), 'differs');
  assert.equal(compareBuildId({ ...binary, gnuBuildId: '00ab11cd' }, '00AB-11CD'), 'same');
});

test('a build ID with slashes is Go’s own, and its case counts', () => {
  assert.equal(compareBuildId(binary, 'Xy/z'), 'same');
  assert.equal(compareBuildId(binary, 'xy/Z'), 'differs');
});

test('nothing is known when either side has no build ID', () => {
  assert.equal(compareBuildId(binary, ''), 'unknown');
  assert.equal(compareBuildId({ gnuBuildId: undefined, goBuildId: 'Xy/z' }, 'ab12'), 'unknown');
});
