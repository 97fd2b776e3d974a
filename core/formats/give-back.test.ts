import assert from 'node:assert/strict';
import { test } from 'node:test';
import { giveBack } from './give-back.js';

test('what is given back is empty, and its memory is not counted any more', () => {
  const bytes = 2 ** 28;
  const before = process.memoryUsage().arrayBuffers;
  const column = new Uint8Array(bytes);
  assert.ok(process.memoryUsage().arrayBuffers >= before + bytes);
  giveBack([column.buffer, column.buffer]);
  assert.equal(column.length, 0);
  assert.ok(process.memoryUsage().arrayBuffers < before + bytes);
});

test('memory that threads share stays', () => {
  const shared = new Uint8Array(new SharedArrayBuffer(8));
  giveBack([shared.buffer]);
  assert.equal(shared.length, 8);
});
