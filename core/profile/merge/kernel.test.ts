import assert from 'node:assert/strict';
import { test } from 'node:test';
import { assertFormatError } from '../../../test/helpers/format-error.js';
import { giveKernel, takeKernel } from './kernel.js';

test('a kernel that would need more than 4 GiB says so, and goes on', () => {
  const { exports } = takeKernel();
  exports.beginEmpty();
  assertFormatError(() => exports.allocate(2 ** 32 - 1), 'E_LIMIT', { limit: 2 ** 32 });
  assert.notEqual(exports.allocate(1000), 0);
});

test('blocks do not overlap, and what was released is used again', () => {
  const { exports } = takeKernel();
  exports.begin();
  const sizes = [1, 64, 65, 96, 97, 128, 129, 1_000, 4_096, 6_145, 100_000];
  const blocks = sizes.map((bytes) => ({ from: exports.allocate(bytes) >>> 0, bytes })).sort((a, b) => a.from - b.from);
  for (let i = 1; i < blocks.length; i++) assert.ok(blocks[i - 1]!.from + blocks[i - 1]!.bytes <= blocks[i]!.from);
  for (const { from, bytes } of blocks) exports.release(from, bytes);
  const again = sizes.map((bytes) => exports.allocate(bytes) >>> 0);
  assert.deepEqual(new Set(again), new Set(blocks.map(({ from }) => from)));
});

test('a kernel that was given back has nothing of the merge before', () => {
  const first = takeKernel();
  first.exports.beginEmpty();
  first.withWords([Uint8Array.of(1, 2, 3)], () => {});
  giveKernel(first);
  const second = takeKernel();
  assert.equal(second, first);
  second.exports.beginEmpty();
  assert.equal(second.exports.inputCount(), 0);
  assert.equal(second.exports.stringCount(), 1);
});
