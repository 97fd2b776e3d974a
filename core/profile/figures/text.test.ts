import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { profileOf } from '../../../test/helpers/profiles.js';
import { arbitraryProfile } from '../../../test/helpers/random-profile.js';
import { ProfileBuilder } from '../edit/builder.js';
import { UnknownIn } from '../profile.js';
import { profileStats } from './stats.js';
import { profileText } from './text.js';

test('the text has every table, with references as row numbers', () => {
  const profile = profileOf(
    'main@main.go:3;work@work.go:7>inner@in.go:1 5 50 {tenant=a bytes=64:kilobytes n=0}\n0x7f00 1 1',
    {
      periodType: { type: 'cpu', unit: 'nanoseconds' },
      period: 10_000_000,
      timeNanos: 1_700_000_000_000_000_000n,
      comments: ['by hand'],
      docUrl: 'https://example.com',
    },
  );
  const unknown = {
    length: 1,
    message: Uint8Array.of(UnknownIn.line),
    row: Uint32Array.of(1),
    starts: Uint32Array.of(0, 2),
    bytes: Uint8Array.of(0xa0, 0x06),
  };
  const id = BigUint64Array.of(7n, 2n, 2n ** 64n - 1n);
  assert.deepEqual(
    [...profileText({ ...profile, unknown, locations: { ...profile.locations, id } })],
    [
      'sample types: samples/count cpu/nanoseconds',
      'period type: cpu/nanoseconds',
      'period: 10000000',
      'time: 1700000000000000000',
      'comment: "by hand"',
      'doc url: https://example.com',
      'sample 0: 5 50 stack 1 0 {tenant=a bytes=64:kilobytes n=0}',
      'sample 1: 1 1 stack 2',
      'location 0 (id 7): 0x1000 mapping 0 main main.go:3',
      'location 1: 0x1010 mapping 0 inner in.go:1 < work work.go:7',
      'location 2 (id 18446744073709551615): 0x7f00 mapping 0',
      'function 0: main system main file main.go start 0',
      'function 1: inner system inner file in.go start 0',
      'function 2: work system work file work.go start 0',
      'mapping 0: 0x1000-0x1000000 offset 0x0 file /bin/app build abcd',
      'unknown in line 1: a006',
    ],
  );
});

test('names cannot break lines, steer a terminal or pass for something else', () => {
  const builder = new ProfileBuilder({ sampleTypes: [] });
  for (const name of [
    'a\nb',
    '\u001b[31m',
    '\u009b31m',
    '\u202eevil',
    'two words',
    '',
    '<',
    'ключ',
    'f[go.shape.int]',
  ]) {
    builder.function({ name });
  }
  const names = [...profileText(builder.finish())].slice(1).map((line) => /: (.*) system/.exec(line)?.[1]);
  assert.deepEqual(names, [
    '"a\\nb"',
    '"\\u001b[31m"',
    '"\\u009b31m"',
    '"\\u202eevil"',
    '"two words"',
    '""',
    '"<"',
    'ключ',
    'f[go.shape.int]',
  ]);
});

test('a string label of digits does not look like a number', () => {
  const builder = new ProfileBuilder({ sampleTypes: [{ type: 'samples', unit: 'count' }] });
  builder.addSample({
    stack: [],
    values: [1],
    labels: [
      { key: 'k', str: '12' },
      { key: 'k', num: 12 },
    ],
  });
  assert.equal([...profileText(builder.finish())][1], 'sample 0: 1 stack {k="12" k=12}');
});

test('every line of any profile is one printable line', () => {
  fc.assert(
    fc.property(arbitraryProfile(), (profile) => {
      for (const line of profileText(profile)) assert.match(line, /^[^\p{Cc}\p{Cf}\p{Zl}\p{Zp}]*$/u);
    }),
    { numRuns: 100 },
  );
});

test('stats add up values, depths and labels', () => {
  const stats = profileStats(profileOf('main;a;b 2 {k=x}\nmain -1 {k=y k=z}\n 3'));
  assert.deepEqual(stats.sampleTypes, [{ type: 'samples', unit: 'count', total: 4n }]);
  assert.deepEqual(stats.stackDepth, { min: 0, mean: 4 / 3, max: 3 });
  assert.deepEqual(stats.labels, [{ key: 'k', samples: 2, values: 3 }]);
  assert.equal(stats.negativeSamples, 1);
});
