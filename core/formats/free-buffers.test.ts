import assert from 'node:assert/strict';
import { test } from 'node:test';
import { freeBuffers } from './free-buffers.js';

test('what is freed is empty, and its memory is not counted any more', () => {
  const bytes = 2 ** 28;
  const before = process.memoryUsage().arrayBuffers;
  const column = new Uint8Array(bytes);
  assert.ok(process.memoryUsage().arrayBuffers >= before + bytes);
  freeBuffers([column.buffer, column.buffer]);
  assert.equal(column.length, 0);
  assert.ok(process.memoryUsage().arrayBuffers < before + bytes);
});

test('memory that threads share stays', () => {
  const shared = new Uint8Array(new SharedArrayBuffer(8));
  freeBuffers([shared.buffer]);
  assert.equal(shared.length, 8);
});

test("Node's pool of small Buffers stays", () => {
  const small = Buffer.from('text');
  assert.ok(small.buffer.byteLength > small.length);
  freeBuffers([small.buffer, new Uint8Array(2 ** 20).buffer]);
  assert.equal(small.toString(), 'text');
});
