import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { profileOf } from '../../test/helpers/profiles.js';
import { arbitraryProfile } from '../../test/helpers/random-profile.js';
import { checkProfile } from './check.js';
import type { Profile } from './profile.js';

test('profiles that use everything are valid', () => {
  fc.assert(
    fc.property(arbitraryProfile(), (profile) => {
      assert.deepEqual(checkProfile(profile), []);
    }),
    { numRuns: 300 },
  );
});

const valid = profileOf('main;work 1 {k=v}\nmain 2');
const { strings, samples, locations, functions } = valid;

const broken: { name: string; profile: Partial<Profile>; problem: RegExp }[] = [
  {
    name: 'a string table whose row 0 is not empty',
    profile: { strings: { length: 1, bytes: Uint8Array.of(65), starts: Uint32Array.of(0, 1) } },
    problem: /string 0 is not ""/,
  },
  {
    name: 'offsets that fall',
    profile: { samples: { ...samples, stackStart: Uint32Array.of(0, 4, 3) } },
    problem: /samples\.stackStart: falls at row 2/,
  },
  {
    name: 'a value too few',
    profile: { samples: { ...samples, values: BigInt64Array.of(1n) } },
    problem: /samples\.values: 1 rows, 2 wanted/,
  },
  {
    name: 'samples without sample types',
    profile: { sampleTypes: [] },
    problem: /2 samples, but the profile has no sample types/,
  },
  {
    name: 'a label that is a string and a number',
    profile: { samples: { ...samples, labels: { ...samples.labels, num: BigInt64Array.of(7n) } } },
    problem: /label 0: both a string and a number/,
  },
  {
    name: 'a stack that names no location',
    profile: { samples: { ...samples, stackLocations: Uint32Array.of(0, 9, 0) } },
    problem: /stack location 1: row 9 of 2/,
  },
  {
    name: 'a mapping that is not there',
    profile: { locations: { ...locations, mapping: Uint32Array.of(0, 5) } },
    problem: /location mapping 1: row 5 of 1/,
  },
  {
    name: 'a column table of zeros',
    profile: { locations: { ...locations, lines: { ...locations.lines, column: new BigInt64Array(2) } } },
    problem: /leave the column out/,
  },
  {
    name: 'a function name outside of the strings',
    profile: { functions: { ...functions, name: Uint32Array.of(1, strings.length) } },
    problem: /function name string 1/,
  },
  {
    name: 'an id twice',
    profile: { locations: { ...locations, id: BigUint64Array.of(4n, 4n) } },
    problem: /location 1: id 4, as location 0/,
  },
  {
    name: 'id 0',
    profile: { functions: { ...functions, id: BigUint64Array.of(0n, 1n) } },
    problem: /function 0: id 0/,
  },
  {
    name: 'an unknown field of a row that is not there',
    profile: {
      unknown: {
        length: 1,
        message: Uint8Array.of(3),
        row: Uint32Array.of(2),
        starts: Uint32Array.of(0, 1),
        bytes: Uint8Array.of(0),
      },
    },
    problem: /unknown field 0: row 2 of 2 of message 3/,
  },
];

for (const { name, profile, problem } of broken) {
  test(`${name} is a problem`, () => {
    const problems = checkProfile({ ...valid, ...profile });
    assert.match(problems.join('\n'), problem);
  });
}

test('a table of nothing but mistakes gives 100 messages', () => {
  const stackLocations = new Uint32Array(1000).fill(77);
  const stackStart = Uint32Array.of(0, 500, 1000);
  assert.equal(checkProfile({ ...valid, samples: { ...samples, stackStart, stackLocations } }).length, 100);
});
