import assert from 'node:assert/strict';
import { test } from 'node:test';
import { profileOf } from '../../../test/helpers/profiles.js';
import { sampleCoverage } from './coverage.js';
import { type MappingReport, makeReport, mergeReports, renderReport, reportJson } from './report.js';

const row = (fields: Partial<MappingReport>): MappingReport => ({
  file: '/bin/app',
  buildId: 'aa',
  sources: ['gopclntab'],
  gives: ['lines'],
  locations: 10,
  kept: 1,
  symbolized: 6,
  reasons: { padding: 3 },
  ...fields,
});
const samples = { valueType: 'cpu/nanoseconds', samples: 2, total: 2n ** 60n, leaf: 2n ** 59n, all: 0n };

test('reports merge by file and build ID, in whatever order', () => {
  const a = makeReport([row({}), row({ file: '/lib/libc', sources: [] })], [samples]);
  const b = makeReport(
    [row({ gives: ['inlines'], reasons: { no_function: 1, padding: 1 } }), row({ buildId: 'bb' })],
    [samples],
  );
  const c = makeReport([row({})], [{ ...samples, valueType: 'alloc/bytes' }]);
  const merged = mergeReports(mergeReports(a, b), c);
  assert.deepEqual(merged, mergeReports(c, mergeReports(b, a)));
  assert.deepEqual(
    merged.mappings.map(({ file, buildId, locations }) => [file, buildId, locations]),
    [
      ['/bin/app', 'aa', 30],
      ['/bin/app', 'bb', 10],
      ['/lib/libc', 'aa', 10],
    ],
  );
  assert.deepEqual(merged.mappings[0]!.reasons, { no_function: 1, padding: 7 });
  assert.deepEqual(merged.mappings[0]!.gives, ['inlines', 'lines']);
  assert.equal(merged.samples.length, 2);
});

test('rows of one file in one profile are one row', () => {
  assert.equal(makeReport([row({}), row({})], []).mappings[0]!.locations, 20);
});

test('the table names what is missing', () => {
  const { rows, notes } = renderReport(makeReport([row({ reasons: { build_id_differs: 3 } })], [samples]));
  assert.deepEqual(rows, [['/bin/app', 'gopclntab', '10', '6', '1', '3 build id differs']]);
  assert.match(notes[0]!, /50\.0 % of it in samples with a symbolized leaf, 0\.0 %/);
});

test('numbers beyond 2^53 are text in JSON', () => {
  const json = reportJson(makeReport([], [{ ...samples, leaf: 5n }])) as { samples: unknown[] };
  assert.deepEqual(json.samples, [
    { valueType: 'cpu/nanoseconds', samples: 2, total: '1152921504606846976', leaf: 5, all: 0 },
  ]);
});

test('coverage sums the default sample type exactly, negative values too', () => {
  const profile = profileOf(`
    main;leaf 1 9007199254740993
    main;0x5000 1 -3
    0x5010;leaf 1 ${2n ** 62n}
  `);
  assert.deepEqual(sampleCoverage(profile), {
    valueType: 'cpu/nanoseconds',
    samples: 3,
    total: 9007199254740990n + 2n ** 62n,
    leaf: 9007199254740993n + 2n ** 62n,
    all: 9007199254740993n,
  });
  const named = { ...profile, defaultSampleType: profile.sampleTypes[0]!.type };
  assert.equal(sampleCoverage(named).total, 3n);
});
