import assert from 'node:assert/strict';
import { test } from 'node:test';
import { profileOf } from '../../../test/helpers/profiles.js';
import type { FormatError } from '../../formats/errors.js';
import { normalizeTo, scaleValues, valueSums } from './scale.js';

test('each sample type has its factor; halves are rounded away from zero', () => {
  const profile = profileOf('main 3 10\nmain;leaf -3 7\nmain;zero 0 1');
  assert.deepEqual([...scaleValues(profile, [0.5, 2]).samples.values], [2n, 20n, -2n, 14n, 0n, 2n]);
  assert.deepEqual([...profile.samples.values], [3n, 10n, -3n, 7n, 0n, 1n], 'the input stays as it was');
  assert.equal(scaleValues(profile, [1, 1]), profile);
});

test('a factor of 1 keeps values exact beyond 2^53', () => {
  const value = 2n ** 62n + 1n;
  assert.deepEqual([...scaleValues(profileOf(`main ${value} 4`), [1, 0.5]).samples.values], [value, 2n]);
});

test('what leaves 64 bits is an error with value and factor', () => {
  assert.throws(
    () => scaleValues(profileOf(`main ${2n ** 62n}`), [2]),
    (error: FormatError) => error.code === 'E_OVERFLOW' && error.describe().includes(`${2n ** 62n} × 2`),
  );
});

test('normalizing makes the sums those of the base; a sum of 0 stays 0', () => {
  const base = profileOf('main 10 100\nmain;leaf 30 0');
  const profile = profileOf('main 1 0\nmain;leaf 1 0');
  assert.deepEqual(valueSums(normalizeTo(profile, base)), [40n, 0n]);
});
