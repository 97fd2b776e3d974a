/**
 * What `go tool pprof` says of the same files: the filter stage, top and diff are compared with it, on a drawn profile with labels
 * and on the embedded sample. Needs Go.
 */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { Budget, defaultLimits, type ItemContext, openInput, type Profile } from '../../core/index.js';
import { diffFunctions } from '../../core/profile/figures/diff.js';
import { type TopRow, topFunctions } from '../../core/profile/figures/top.js';
import { pprofCodec } from '../../plugins/codecs/pprof/index.js';
import { compileFilter, filterProfile } from '../../plugins/stages/filter/filter.js';
import type { FilterOptions } from '../../schemas/gen/options/filter.js';
import { profileOf, stacksOf } from '../helpers/profiles.js';
import { temporaryFolder, writeInto } from '../helpers/temporary.js';

const sample = readFileSync(
  join(fileURLToPath(new URL('../../..', import.meta.url)), 'pipelines/samples/cpu.named.pb.gz'),
);
const context = { limits: defaultLimits, count() {}, warn() {} } as unknown as ItemContext;
const codec = await pprofCodec.create({ compression: 'gzip', level: 1 }, {} as never);

const decode = async (bytes: Uint8Array): Promise<Profile> => codec.decode!(openInput(bytes, new Budget()), context);
const encode = async (profile: Profile): Promise<Uint8Array> => Buffer.concat(await codec.encode!(profile, context));

function pprof(...options: string[]): Buffer {
  return execFileSync('go', ['tool', 'pprof', '-symbolize=none', ...options], {
    env: { ...process.env, PPROF_TMPDIR: '/nonexistent' },
    stdio: ['ignore', 'pipe', 'ignore'],
    maxBuffer: 2 ** 28,
  });
}

/** Samples with equal stacks and labels as one, labels in the order of their keys: pprof merges and sorts them. */
function merged(profile: Profile): string[] {
  const sums = new Map<string, bigint[]>();
  for (const text of stacksOf(profile)) {
    const [, stack = '', values = '', labels = ''] = /^(.*?) ((?:-?\d+ ?)+)(?:\{(.*)\})?$/.exec(text)!;
    const key = `${stack} {${labels.split(' ').sort().join(' ')}}`;
    const added = values.trim().split(' ').map(BigInt);
    sums.set(key, sums.get(key)?.map((sum, type) => sum + added[type]!) ?? added);
  }
  return Array.from(sums, ([key, values]) => `${key} ${values.join(' ')}`).sort();
}

const drawn = profileOf(`
  main@a.go:1;serve@a.go:9;parse@json.go:3 3 30 {tenant=acme region=eu bytes=1024}
  main@a.go:1;serve@a.go:9>route@mux.go:4;query@sql.go:2 5 50 {tenant=globex bytes=4:kilobytes}
  main@a.go:1;gc@mgc.go:7 2 20 {wait=5:milliseconds wait=90:milliseconds}
  main@a.go:1;0x5000 1 10 {tenant=acme wait=2:seconds}
  a@a.go:1;b@b.go:1;c@c.go:1;b@b.go:1 4 40 {n=7 request=64}
  gc@mgc.go:7 6 60`);

const onDrawn: FilterOptions[] = [
  { focus: 'serve' },
  { focus: 'json.go|b.go' },
  { ignore: 'query' },
  { focus: 'main', ignore: 'gc' },
  { focus: '(?i)SERVE|^a$' },
  { focus: '/bin/app' },
  { hide: 'serve' },
  { hide: 'route|gc' },
  { hide: 'main|b' },
  { show: 'serve|query|gc' },
  { show: '/bin/app', hide: 'main' },
  { show: 'b', hide: 'c' },
  { show_from: '^b$' },
  { show_from: 'route' },
  { show_from: 'serve', hide: 'main' },
  { tagfocus: 'tenant=acme' },
  { tagfocus: 'tenant=^a,glob' },
  { tagfocus: 'acme' },
  { tagfocus: 'tenant:acme,region' },
  { tagfocus: 'region=acme' },
  { tagfocus: 'wait=5ms' },
  { tagfocus: 'wait=80ms:1s' },
  { tagfocus: 'wait=:5000us' },
  { tagfocus: 'wait=1kb:' },
  { tagfocus: '5ms' },
  { tagfocus: 'bytes=1mb' },
  { tagfocus: 'bytes=4kb' },
  { tagfocus: 'n=7' },
  { tagfocus: 'n=7n' },
  { tagfocus: 'request=64b' },
  { tagfocus: 'request=1:64' },
  { tagignore: 'tenant=acme' },
  { tagignore: ':1s' },
  { tagfocus: 'tenant=.', tagignore: 'region=.' },
  { taghide: 'tenant|bytes' },
  { tagshow: 'tenant' },
];
const onSample: FilterOptions[] = [
  { focus: 'runtime\\.' },
  { ignore: 'json', hide: '^runtime\\.' },
  { show: '^main\\.|^encoding/' },
  { show_from: 'main\\.' },
];

for (const [name, profile, cases] of [
  ['the drawn profile', async () => drawn, onDrawn],
  ['the embedded sample', () => decode(sample), onSample],
] as const) {
  for (const options of cases) {
    test(`filter ${JSON.stringify(options)} gives what pprof gives, on ${name}`, async (t) => {
      const input = await profile();
      const folder = temporaryFolder(t);
      const file = writeInto(folder, 'cpu.pb.gz', await encode(input));
      const flags = Object.entries(options).map(([option, value]) => `-${option}=${value}`);
      const filtered = join(folder, 'filtered.pb.gz');
      pprof('-proto', `-output=${filtered}`, ...flags, file);
      const theirs = await decode(readFileSync(filtered));
      const ours = filterProfile(input, await compileFilter(options)).profile;
      assert.deepEqual(merged(ours), merged(theirs));
    });
  }
}

/** `flat cum name` of every row of `pprof -top`, which prints values with a unit. */
function topOf(...options: string[]): string[] {
  const text = pprof('-top', '-nodefraction=0', '-nodecount=1000000', '-unit=nanoseconds', ...options).toString();
  const rows = text.split('\n').slice(text.split('\n').findIndex((line) => /^\s+flat\s+flat%/.test(line)) + 1);
  return rows
    .map((line) => /^\s*(-?\d+)\S*\s+\S+\s+\S+\s+(-?\d+)\S*\s+\S+\s+(.*?)(?: \((?:partial-)?inline\))?$/.exec(line))
    .filter((match) => match !== null)
    .map(([, flat, cum, name]) => `${flat} ${cum} ${name}`)
    .sort();
}
const rowsOf = (rows: readonly TopRow[]): string[] =>
  rows.map((row) => `${row.flat} ${row.cum} ${row.function}`).sort();

test('top has the rows of pprof -top', async (t) => {
  for (const profile of [drawn, await decode(sample)]) {
    const file = writeInto(temporaryFolder(t), 'cpu.pb.gz', await encode(profile));
    for (const type of ['samples', 'cpu']) {
      const rows = rowsOf(topFunctions(profile, type).rows);
      assert.ok(rows.length > 5);
      assert.deepEqual(rows, topOf(`-sample_index=${type}`, file));
    }
  }
});

test('diff has the rows of pprof -base', async (t) => {
  const profile = await decode(sample);
  const base = filterProfile(profile, await compileFilter({ ignore: 'json' })).profile;
  const folder = temporaryFolder(t);
  const file = writeInto(folder, 'cpu.pb.gz', await encode(profile));
  const baseFile = writeInto(folder, 'base.pb.gz', await encode(base));
  const theirs = topOf(`-base=${baseFile}`, file).filter((row) => !row.startsWith('0 0 '));
  assert.ok(theirs.length > 5);
  assert.deepEqual(rowsOf(diffFunctions(profile, base).rows), theirs);
});

test('a normalized diff has the rows of pprof -normalize -base', async (t) => {
  const profile = await decode(sample);
  const base = filterProfile(profile, await compileFilter({ ignore: 'json' })).profile;
  const folder = temporaryFolder(t);
  const file = writeInto(folder, 'cpu.pb.gz', await encode(profile));
  const baseFile = writeInto(folder, 'base.pb.gz', await encode(base));
  for (const [one, other, ours] of [
    [file, baseFile, diffFunctions(profile, base, { normalize: true })],
    [baseFile, file, diffFunctions(base, profile, { normalize: true })],
  ] as const) {
    const theirs = topOf('-normalize', `-base=${other}`, one).filter((row) => !row.startsWith('0 0 '));
    assert.ok(theirs.length > 100);
    assert.deepEqual(rowsOf(ours.rows), theirs);
  }
});
