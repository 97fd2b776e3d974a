import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseDuration } from './duration.js';

test('durations are milliseconds, and what is none is refused', () => {
  assert.deepEqual(['0s', '250ms', '10s', '1m', '2h'].map(parseDuration), [0, 250, 10_000, 60_000, 7_200_000]);
  for (const text of ['', '1', 's', '1.5s', '-1s', '1d', '1s ', '1234567890s'])
    assert.throws(() => parseDuration(text), RangeError);
});
