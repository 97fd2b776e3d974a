import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { orderByNumber, orderWithinRuns } from './order.js';

const small = fc.integer({ min: 0, max: 5 });
const columns = [small, fc.oneof(small, fc.maxSafeNat()), fc.integer()].map((number) => fc.array(number));

test('the order is that of a sort by comparison, of small, large and negative numbers', () => {
  fc.assert(
    fc.property(fc.oneof(...columns), (numbers) => {
      const expected = numbers.map((_, row) => row).sort((a, b) => numbers[a]! - numbers[b]! || a - b);
      assert.deepEqual(Array.from(orderByNumber(Float64Array.from(numbers))), expected);
    }),
  );
});

test('rows of one number are sorted among themselves', () => {
  const column = Float64Array.of(7, 3, 7, 3, 7, 1);
  const order = orderByNumber(column);
  orderWithinRuns(order, column, (a, b) => b - a);
  assert.deepEqual(Array.from(order), [5, 3, 1, 4, 2, 0]);
});
