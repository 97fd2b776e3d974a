import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { type Profile, ProfileBuilder } from '../../../core/index.js';
import { profileOf } from '../../../test/helpers/profiles.js';
import { arbitraryProfile } from '../../../test/helpers/random-profile.js';
import { encodeFolded, type FoldedChoice } from './encode.js';

function folded(profile: Profile, choice: Partial<FoldedChoice> = {}): string[] {
  const text = Buffer.concat(encodeFolded(profile, { addresses: true, ...choice }).pieces).toString();
  assert.ok(text === '' || text.endsWith('\n'));
  return text.split('\n').slice(0, -1);
}

test('stacks are root first, each once, in the order of their texts', () => {
  assert.deepEqual(folded(profileOf('main;work 1\nmain;gc 2\nmain;work 5\n 3')), [
    '[no stack] 3',
    'main;gc 2',
    'main;work 6',
  ]);
});

test('inlined functions are frames of their own, callee behind caller', () => {
  assert.deepEqual(folded(profileOf('main;work>inlined>inner;leaf 1')), ['main;work;inlined;inner;leaf 1']);
});

test('frames without a name are addresses, or the mapped file so that they add up', () => {
  const profile = profileOf('main;0x4000 1\nmain;0x5000 2');
  assert.deepEqual(folded(profile), ['main;0x4000 1', 'main;0x5000 2']);
  assert.deepEqual(folded(profile, { addresses: false }), ['main;[app] 3']);
});

test('a sample type is chosen by its name', () => {
  const profile = profileOf('main 1 100');
  assert.deepEqual(folded(profile), ['main 100']);
  assert.deepEqual(folded(profile, { sampleType: 'samples' }), ['main 1']);
  assert.throws(() => folded(profile, { sampleType: 'bytes' }), { code: 'E_SAMPLE_TYPE' });
});

test('an empty profile is an empty text', () => {
  assert.deepEqual(folded(new ProfileBuilder({ sampleTypes: [] }).finish()), []);
});

test('sums are exact beyond 64 bits; negative ones stay, zeros go', () => {
  const most = 2n ** 63n - 1n;
  const profile = profileOf(`a ${most}\na ${most}\nb -5\nc 3\nc -3`);
  assert.deepEqual(folded(profile), [`a ${most * 2n}`, 'b -5']);
  assert.equal(encodeFolded(profile, { addresses: true }).zeroStacks, 1);
});

test('a name cannot part frames, end a line or steer a terminal', () => {
  const builder = new ProfileBuilder({ sampleTypes: [{ type: 'samples', unit: 'count' }] });
  const row = builder.function({ name: 'f[struct { a int; b int }]\n\u001b[31m\u202e' });
  builder.addSample({ stack: [builder.location({ lines: [{ function: row, line: 1 }] })], values: [1] });
  assert.deepEqual(folded(builder.finish()), ['f[struct { a int: b int }]\\u000a\\u001b[31m\\u202e 1']);
});

test('of any profile the lines are distinct stacks, and their sums are its total', () => {
  fc.assert(
    fc.property(arbitraryProfile(), (profile) => {
      const lines = folded({ ...profile, defaultSampleType: 0 });
      const sums = lines.map((line) => BigInt(/ (-?\d+)$/.exec(line)![1]!));
      const types = profile.sampleTypes.length;
      const values = profile.samples.values.filter((_, index) => index % types === types - 1);
      assert.equal(
        sums.reduce((sum, value) => sum + value, 0n),
        values.reduce((sum, value) => sum + value, 0n),
      );
      assert.equal(new Set(lines.map((line) => line.replace(/ -?\d+$/, ''))).size, lines.length);
    }),
    { numRuns: 200 },
  );
});
