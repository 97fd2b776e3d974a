import assert from 'node:assert/strict';
import { test } from 'node:test';
import { TablePartBytes } from './table-part.js';

const START = 100;
const LENGTH = 9 << 20;
const byteAt = (offset: number) => (offset * 7) & 0xff;

function largePart(): { readonly part: TablePartBytes; readonly reads: number[] } {
  const reads: number[] = [];
  const read = (offset: number, length: number) => {
    reads.push(length);
    return Uint8Array.from({ length }, (_, at) => byteAt(offset + at));
  };
  return { part: new TablePartBytes(read, [START, START + LENGTH]), reads };
}

function assertBytes(bytes: Uint8Array, offset: number, length: number): void {
  assert.equal(bytes.length, length);
  for (const at of [0, length - 1]) assert.equal(bytes[at], byteAt(START + offset + at));
}

test('whoever goes through a large part in order has it read in pieces', () => {
  const { part, reads } = largePart();
  for (let offset = 0; offset < 1 << 18; offset += 100) assertBytes(part.at(offset, 256), offset, 256);
  assert.ok(reads.length <= 5, `${reads.length} reads`);
});

test('whoever asks here and there has that read', () => {
  const { part, reads } = largePart();
  const offsets = [8 << 20, 3 << 20, 5 << 20, 1 << 20];
  for (const offset of offsets) assertBytes(part.at(offset, 256), offset, 256);
  assert.deepEqual(reads, [256, 256, 256, 256]);
  assert.equal(part.heldBytes, 256);
});

test('a large part ends where it ends', () => {
  const { part } = largePart();
  assertBytes(part.at(LENGTH - 10, 256), LENGTH - 10, 10);
  assertBytes(part.at(LENGTH - 5, 256), LENGTH - 5, 5);
  assert.equal(part.at(LENGTH, 1).length, 0);
  assert.equal(part.at(-1, 1).length, 0);
});
