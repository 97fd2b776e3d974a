import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { checkProfile, valueSums } from '../../../core/index.js';
import { profileOf, stacksOf } from '../../../test/helpers/profiles.js';
import { arbitraryProfile } from '../../../test/helpers/random-profile.js';
import { trimProfile } from './trim.js';

test('keeps as few stacks as the share takes, in their order, without labels and other values', () => {
  const profile = profileOf('a;b 5 50 {t=x}\na;c 1 10\na;b 3 30 {t=y}\na;d 91 910\na 0 7');
  const { profile: trimmed, droppedStacks } = trimProfile(profile, 0.99);
  assert.deepEqual(stacksOf(trimmed), ['a;b 8', 'a;d 91']);
  assert.equal(droppedStacks, 1);
  assert.deepEqual(stacksOf(trimProfile(profile, 0.9).profile), ['a;d 91']);
  assert.deepEqual(stacksOf(trimProfile(profile, 1).profile), ['a;b 8', 'a;c 1', 'a;d 91']);
});

test('weighs by samples, else cpu, else the default, or as told', () => {
  const types = (...names: string[]) => ({
    sampleTypes: names.map((name) => ({ type: name, unit: name === 'cpu' ? 'nanoseconds' : 'count' })),
  });
  assert.deepEqual(stacksOf(trimProfile(profileOf('a 1 2 3', types('cpu', 'samples', 'x')), 1).profile), ['a 2']);
  assert.deepEqual(stacksOf(trimProfile(profileOf('a 1 2 3', types('y', 'cpu', 'x')), 1).profile), ['a 2']);
  assert.deepEqual(stacksOf(trimProfile(profileOf('a 1 2', types('y', 'x')), 1).profile), ['a 2']);
  assert.deepEqual(stacksOf(trimProfile(profileOf('a 1 2', types('y', 'x')), 1, 'y').profile), ['a 1']);
});

test('says whether there are start lines', () => {
  const profile = profileOf('a 1');
  assert.equal(trimProfile(profile, 1).hasStartLines, false);
  const functions = { ...profile.functions, startLine: BigInt64Array.of(3n) };
  assert.equal(trimProfile({ ...profile, functions }, 1).hasStartLines, true);
});

test('of any profile: valid, at least the share, and no stack to spare', () => {
  fc.assert(
    fc.property(arbitraryProfile(), fc.double({ min: 0.01, max: 1, noNaN: true }), (profile, share) => {
      const small = {
        ...profile,
        samples: { ...profile.samples, values: profile.samples.values.map((value) => BigInt.asIntN(31, value)) },
      };
      const [all, some] = [trimProfile(small, 1).profile, trimProfile(small, share).profile];
      assert.deepEqual(checkProfile(some), []);
      const size = (values: BigInt64Array) => Array.from(values, (value) => Math.abs(Number(value)));
      const sum = (values: readonly number[]) => values.reduce((total, value) => total + value, 0);
      const kept = size(some.samples.values);
      const goal = share * sum(size(all.samples.values));
      assert.ok(sum(kept) >= goal);
      if (kept.length > 0) assert.ok(sum(kept) - Math.min(...kept) < goal);
      assert.equal(valueSums(all).length, 1);
    }),
    { numRuns: 500 },
  );
});
