import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { assertFormatError } from '../../../test/helpers/format-error.js';
import { encodeRanges, type Ranges } from '../../../test/helpers/pc-ranges.js';
import { PcValues } from './pc-value.js';

function ranges(bytes: Uint8Array, quantum = 1, codeBytes = 2 ** 20): [value: number, end: number][] {
  const values = new PcValues(bytes, 0, quantum, codeBytes);
  const found: [number, number][] = [];
  while (values.next()) found.push([values.value, values.end]);
  return found;
}

test('values start from −1 and ends count from the entry', () => {
  assert.deepEqual(ranges(Uint8Array.of(2, 10, 1, 5, 0)), [
    [0, 10],
    [-1, 15],
  ]);
});

test('a first value delta of 0 is no end', () => {
  assert.deepEqual(ranges(Uint8Array.of(0, 4, 4, 4, 0)), [
    [-1, 4],
    [1, 8],
  ]);
});

test('lengths count in quanta', () => {
  assert.deepEqual(ranges(Uint8Array.of(2, 3, 0), 4), [[0, 12]]);
});

test('every table that can be written reads as its ranges', () => {
  const range = fc.tuple(fc.integer({ min: -(2 ** 30), max: 2 ** 30 }), fc.integer({ min: 1, max: 2 ** 16 }));
  const distinct = fc
    .array(range, { minLength: 1, maxLength: 30 })
    .filter((list) => list.every(([value], row) => row === 0 || value !== list[row - 1]![0]));
  fc.assert(
    fc.property(distinct, (list: Ranges) => {
      let end = 0;
      const expected = list.map(([value, bytes]) => {
        end += bytes;
        return [value, end];
      });
      assert.deepEqual(ranges(encodeRanges(list), 1, end), expected);
    }),
  );
});

test('a table without end is truncated', () => {
  assertFormatError(() => ranges(Uint8Array.of(2, 10)), 'E_TRUNCATED', { section: '.gopclntab pc-value tables' });
  assertFormatError(() => ranges(Uint8Array.of(2, 0x80)), 'E_TRUNCATED');
});

test('a varint of more than 5 bytes is refused', () => {
  assertFormatError(() => ranges(Uint8Array.of(0x80, 0x80, 0x80, 0x80, 0x80, 1, 0)), 'E_VARINT');
});

test('a table that goes on behind its function is refused, also in steps of no length', () => {
  assertFormatError(() => ranges(Uint8Array.of(2, 10, 2, 10, 0), 1, 16), 'E_GO_PCVALUE');
  const endless = Uint8Array.from({ length: 10_000 }, (_, at) => (at === 1 ? 1 : at % 2 === 0 ? 2 : 0));
  assertFormatError(() => ranges(endless, 1, 16), 'E_GO_PCVALUE');
});
