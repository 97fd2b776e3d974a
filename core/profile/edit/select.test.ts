import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { profileOf, stacksOf } from '../../../test/helpers/profiles.js';
import { arbitraryProfile } from '../../../test/helpers/random-profile.js';
import { checkProfile } from '../check.js';
import { stringAt } from '../profile.js';
import { compactProfile } from './compact.js';
import { selectRows } from './select.js';

test('a selection leaves out what nothing refers to any more, names included', () => {
  const profile = profileOf('main;work;secret 1 {tenant=acme}\nmain;other 2');
  const { functions, strings, locations, mappings } = selectRows(profile, { samples: Uint8Array.of(0, 1) });
  assert.equal(locations.length, 2);
  assert.deepEqual(
    Array.from(functions.name, (row) => stringAt(strings, row)),
    ['main', 'other'],
  );
  assert.doesNotMatch(Buffer.from(strings.bytes).toString(), /secret|work|tenant|acme/);
  assert.equal(mappings.length, 1);
});

test('what is selected is what a filter of the drawn samples gives', () => {
  fc.assert(
    fc.property(arbitraryProfile(), fc.infiniteStream(fc.boolean()), (profile, coins) => {
      const samples = Uint8Array.from({ length: profile.samples.length }, () => Number(coins.next().value));
      const selected = selectRows(profile, { samples });
      assert.deepEqual(checkProfile(selected), []);
      assert.deepEqual(
        stacksOf(selected),
        stacksOf(profile).filter((_, sample) => samples[sample] === 1),
      );
      assert.equal(compactProfile(selected), selected, 'nothing is left to compact');
    }),
    { numRuns: 200 },
  );
});

test('unknown fields go with the rows that go', () => {
  fc.assert(
    fc.property(arbitraryProfile(), (profile) => {
      const selected = selectRows(profile, {
        samples: new Uint8Array(profile.samples.length),
        lines: new Uint8Array(profile.locations.lines.length),
      });
      const left = new Set(selected.unknown?.message ?? []);
      for (const gone of [3, 4, 6, 7, 8]) assert.ok(!left.has(gone), `message ${gone}`);
    }),
    { numRuns: 100 },
  );
});
