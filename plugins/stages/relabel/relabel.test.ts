import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { checkProfile } from '../../../core/index.js';
import type { RelabelOptions } from '../../../schemas/gen/options/relabel.js';
import { profileOf, stacksOf } from '../../../test/helpers/profiles.js';
import { arbitraryProfile } from '../../../test/helpers/random-profile.js';
import { bucketProblems, lowerEnd } from './buckets.js';
import { relabel } from './relabel.js';

function relabelled(text: string, options: RelabelOptions): string[] {
  const profile = relabel(profileOf(text), options);
  assert.deepEqual(checkProfile(profile), []);
  return stacksOf(profile);
}

test('keeps, drops and renames by key', () => {
  const text = 'main 1 {a=x b=7:kb c=y}\nmain 2 {c=z}\nmain 3';
  assert.deepEqual(relabelled(text, { keep: ['a', 'c'] }), ['main 1 {a=x c=y}', 'main 2 {c=z}', 'main 3']);
  assert.deepEqual(relabelled(text, { drop: ['a', 'c'] }), ['main 1 {b=7:kb}', 'main 2', 'main 3']);
  assert.deepEqual(relabelled(text, { rename: { c: 'a' }, drop: ['b'] }), [
    'main 1 {a=x a=y}',
    'main 2 {a=z}',
    'main 3',
  ]);
  assert.deepEqual(relabelled(text, {}), ['main 1 {a=x b=7:kb c=y}', 'main 2 {c=z}', 'main 3']);
});

test('a text that is a key and a value is renamed as a key only, and so are traps', () => {
  assert.deepEqual(relabelled('c 1 {c=c __proto__=c}', { rename: { c: 'd' } }), ['c 1 {d=c __proto__=c}']);
});

test('numbers become the lower end of their bucket; texts and units stay', () => {
  const text = 'main 1 {bytes=1023:b latency=99 shard=37}\nmain 2 {bytes=1024:b latency=5 shard=big}';
  const bucket = { bytes: 'powers-of-two' as const, latency: [10, 100], shard: 16 };
  assert.deepEqual(relabelled(text, { bucket }), [
    'main 1 {bytes=512:b latency=10 shard=32}',
    'main 2 {bytes=1024:b latency=0 shard=big}',
  ]);
});

test('a lower end is its own bucket, never above the number, and within a width or factor of it', () => {
  fc.assert(
    fc.property(
      fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }),
      fc.integer({ min: 1, max: 1e6 }),
      (value, width) => {
        const size = value < 0n ? -value : value;
        for (const buckets of [width, 'powers-of-two' as const, [width, 2 * width]]) {
          const end = lowerEnd(buckets, value);
          const endSize = end < 0n ? -end : end;
          assert.equal(lowerEnd(buckets, end), end);
          assert.ok(endSize <= size);
        }
        assert.ok(size < lowerEnd(width, size) + BigInt(width));
        assert.ok(size === 0n || size < 2n * lowerEnd('powers-of-two', size));
      },
    ),
  );
});

test('ends that do not rise are found when the pipeline is checked', () => {
  assert.deepEqual(bucketProblems({ bucket: { a: [1, 5, 5], b: [1, 2], c: 3 } }), [
    { path: ['bucket', 'a', 2], message: 'ends must rise: 5 stands behind 5' },
  ]);
});

test('any profile stays valid, with its samples', () => {
  fc.assert(
    fc.property(arbitraryProfile(), (profile) => {
      const options: RelabelOptions = {
        drop: ['name1', 'é'],
        rename: { name2: 'name3' },
        bucket: { name3: 7, name4: [5] },
      };
      const result = relabel(profile, options);
      assert.deepEqual(checkProfile(result), []);
      assert.deepEqual(result.samples.values, profile.samples.values);
    }),
    { numRuns: 500 },
  );
});
