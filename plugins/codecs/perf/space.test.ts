import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type CodeMapping, Space } from './space.js';

const mapping = (start: number, end: number, filename: string, fileOffset: bigint): CodeMapping => ({
  start,
  end,
  filename,
  fileOffset,
  buildId: '',
});
const placesIn = (space: Space) =>
  space.mappings.map(({ start, end, filename, fileOffset }) => `${filename} ${start}-${end} at ${fileOffset}`);

test('what stays visible behind another mapping keeps its place in its file', () => {
  const space = new Space([mapping(100, 200, '/a', 1000n)]);
  space.cover(120, 150, mapping(120, 150, '/b', 0n));
  assert.deepEqual(placesIn(space), ['/a 100-120 at 1000', '/b 120-150 at 0', '/a 150-200 at 1050']);
});

test("the kernel's image has the address of its first symbol for a place, in each part of it", () => {
  const space = new Space([mapping(100, 200, '[kernel.kallsyms]', 90n)]);
  space.cover(120, 150, mapping(120, 150, '[module]', 0n));
  assert.deepEqual(placesIn(space), [
    '[kernel.kallsyms] 100-120 at 90',
    '[module] 120-150 at 0',
    '[kernel.kallsyms] 150-200 at 90',
  ]);
});
