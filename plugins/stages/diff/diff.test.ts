import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import {
  type CreateContext,
  checkProfile,
  FormatError,
  type Profile,
  type StageItemContext,
  subtractProfile,
  valueSums,
} from '../../../core/index.js';
import { profileOf, stacksOf } from '../../../test/helpers/profiles.js';
import { randomProfile } from '../../../test/helpers/random-profile.js';
import { diffStage } from './index.js';

async function difference(profile: Profile, base: Profile, mode: 'base' | 'diff_base' = 'base', normalize = false) {
  const context = { readProfile: async (path: string) => (path === 'base.pb' ? base : assert.fail(path)) };
  const stage = await diffStage.create({ base: 'base.pb', mode, normalize }, context as unknown as CreateContext);
  const result = await stage.process(profile, {} as StageItemContext<never>);
  assert.deepEqual(checkProfile(result), []);
  return result;
}

const after = profileOf('a;b 5 50 {t=x}\na;c 3 30\na 2 20', { timeNanos: 7, durationNanos: 9, period: 3 });
const before = profileOf('a;b 4 40 {t=x}\na;c 3 30\nd 1 10', { timeNanos: 5, durationNanos: 11, period: 8 });

test('base: what is alike cancels out, and the header is the profile’s', async () => {
  const result = await difference(after, before);
  assert.deepEqual(stacksOf(result), ['a;b 1 10 {t=x}', 'a 2 20', 'd -1 -10']);
  assert.deepEqual([result.timeNanos, result.durationNanos, result.period], [7n, 9n, 3n]);
});

test('diff_base: the samples of the base stay, negative and labelled', async () => {
  assert.deepEqual(stacksOf(await difference(after, before, 'diff_base')), [
    'a;b 5 50 {t=x}',
    'a;c 3 30',
    'a 2 20',
    'a;b -4 -40 {pprof::base=true t=x}',
    'a;c -3 -30 {pprof::base=true}',
    'd -1 -10 {pprof::base=true}',
  ]);
});

test('normalize: the profile is scaled to the total of the base', async () => {
  const result = await difference(profileOf('a 30 1\nb 10 1'), profileOf('a 3 10\nb 1 10'), 'base', true);
  assert.deepEqual(stacksOf(result), []);
  assert.deepEqual(stacksOf(await difference(profileOf('a 30\nb 10'), profileOf('a 4'), 'base', true)), [
    'a -1',
    'b 1',
  ]);
});

test('only the sample types that both have', async () => {
  const types = (...names: string[]) => ({ sampleTypes: names.map((type) => ({ type, unit: 'count' })) });
  const result = await difference(profileOf('a 1 2 3', types('x', 'y', 'z')), profileOf('a 5 7', types('z', 'y')));
  assert.deepEqual(stacksOf(result), ['a -5 -2']);
  await assert.rejects(
    difference(profileOf('a 1', types('x')), profileOf('a 1', types('y'))),
    (error) =>
      error instanceof FormatError &&
      error.code === 'E_INCOMPATIBLE' &&
      /profile has x\/count, the base y\/count/.test(error.message),
  );
});

test('a profile less itself is nothing, and sums are differences of sums', () => {
  const small = (seed: number) => {
    const profile = randomProfile(seed, 10);
    const values = profile.samples.values.map((value) => BigInt.asIntN(40, value));
    return { ...profile, periodType: undefined, samples: { ...profile.samples, values } };
  };
  fc.assert(
    fc.property(fc.nat(), fc.boolean(), (seed, keepsBase) => {
      const [profile, other] = [small(seed), small(seed + 1)];
      if (!keepsBase) {
        assert.equal(subtractProfile(profile, profile, { keepsBase, normalize: false }).samples.length, 0);
      }
      const base = {
        ...profile,
        samples: { ...profile.samples, values: profile.samples.values.map((value) => value * 3n) },
      };
      const result = subtractProfile(profile, base, { keepsBase, normalize: false });
      assert.deepEqual(checkProfile(result), []);
      assert.deepEqual(
        valueSums(result),
        valueSums(profile).map((sum) => -2n * sum),
      );
      try {
        assert.deepEqual(checkProfile(subtractProfile(profile, other, { keepsBase, normalize: true })), []);
      } catch (error) {
        assert.ok(error instanceof FormatError, String(error));
      }
    }),
    { numRuns: 300 },
  );
});
