import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { profileOf, stacksOf } from '../../../test/helpers/profiles.js';
import { arbitraryProfile } from '../../../test/helpers/random-profile.js';
import { checkProfile } from '../check.js';
import { profileText } from '../figures/text.js';
import { labelAll } from './label-all.js';
import { setLabel } from './label-maps.js';

test('every sample gets the labels, in place of those of their keys', () => {
  const profile = profileOf('a 1 {zone=x job=y zone=3}\nb 2 {job=z}\nc 3');
  const labelled = labelAll(profile, { zone: 'eu', service: 'api', job: '' });
  assert.deepEqual(checkProfile(labelled), []);
  assert.deepEqual(stacksOf(labelled), [
    'a 1 {zone=eu service=api}',
    'b 2 {zone=eu service=api}',
    'c 3 {zone=eu service=api}',
  ]);
  assert.equal(labelAll(profile, {}), profile);
  assert.deepEqual(stacksOf(labelAll(profileOf('a 1'), JSON.parse('{"__proto__":"p","toString":"t"}'))), [
    'a 1 {__proto__=p toString=t}',
  ]);
});

test('it is what setLabel gives, whatever the profile', () => {
  fc.assert(
    fc.property(arbitraryProfile(), fc.constantFrom('key', 'tenant', 'new'), (profile, key) => {
      const labelled = labelAll(profile, { [key]: 'value', zone: 'eu' });
      assert.deepEqual(checkProfile(labelled), []);
      const expected = setLabel(
        setLabel(profile, key, () => 'value'),
        'zone',
        () => 'eu',
      );
      assert.deepEqual([...profileText(labelled)], [...profileText(expected)]);
    }),
    { numRuns: 500 },
  );
});
