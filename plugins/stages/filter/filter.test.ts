import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { checkProfile, type Profile } from '../../../core/index.js';
import type { FilterOptions } from '../../../schemas/gen/options/filter.js';
import { profileOf, stacksOf } from '../../../test/helpers/profiles.js';
import { arbitraryProfile } from '../../../test/helpers/random-profile.js';
import { compileFilter, filterProfile } from './filter.js';

async function filtered(profile: Profile | string, options: FilterOptions): Promise<string[]> {
  const input = typeof profile === 'string' ? profileOf(profile) : profile;
  const { profile: output } = filterProfile(input, await compileFilter(options));
  assert.deepEqual(checkProfile(output), []);
  return stacksOf(output);
}

const service = `
  main;serve;parse 3
  main;serve>route;query 5
  main;gc 2
  0x5000 1`;

test('focus keeps samples with a frame that matches, whole', async () => {
  assert.deepEqual(await filtered(service, { focus: 'serve' }), ['main;serve;parse 3', 'main;serve>route;query 5']);
  assert.deepEqual(await filtered(service, { focus: '^route$' }), ['main;serve>route;query 5']);
});

test('ignore wins over focus', async () => {
  assert.deepEqual(await filtered(service, { focus: 'serve', ignore: 'query' }), ['main;serve;parse 3']);
});

test('frames match by their file, and by the file mapped where they lie', async () => {
  assert.deepEqual(await filtered('main@a.go:1 1\nmain@b.go:1 2', { focus: 'b\\.go' }), ['main 2']);
  assert.deepEqual(await filtered(service, { ignore: '/bin/app' }), []);
});

test('hide takes frames out, also inlined ones, and samples that are left without frames', async () => {
  assert.deepEqual(await filtered(service, { hide: 'serve|gc|main' }), ['parse 3', 'route;query 5', '0x5000 1']);
  assert.deepEqual(await filtered('gc 2\nmain;gc 1', { hide: 'gc' }), ['main 1']);
});

test('show is the opposite of hide', async () => {
  assert.deepEqual(await filtered(service, { show: 'serve|query' }), ['serve 3', 'serve;query 5']);
});

test('show_from cuts what is above the highest match', async () => {
  assert.deepEqual(await filtered('a;b;c;b 1\na 1', { show_from: '^b$' }), ['b;c;b 1']);
  assert.deepEqual(await filtered(service, { show_from: 'route' }), ['route;query 5']);
});

test('conditions on names drop samples without a stack', async () => {
  assert.deepEqual(await filtered(' 1\nmain 2', { hide: 'nothing' }), ['main 2']);
  assert.deepEqual(await filtered(' 1\nmain 2', {}), [' 1', 'main 2']);
});

const labelled = `
  a 1 {tenant=acme region=eu bytes=1024}
  b 2 {tenant=globex bytes=4:kilobytes}
  c 3 {tenant=acme wait=5:milliseconds wait=90:milliseconds}
  d 4`;

for (const [condition, expected] of [
  ['tenant=acme', 'a c'],
  ['tenant=^a,glob', 'a b c'],
  ['acme', 'a c'],
  ['tenant:acme,region', 'a'],
  ['region=acme', ''],
  ['wait=5ms', 'c'],
  ['wait=80ms:1s', 'c'],
  ['wait=6ms:89ms', ''],
  ['wait=:5000us', 'c'],
  ['wait=1kb:', ''],
  ['5ms', 'c'],
  // A key has one unit in a profile: the first that is given, here kilobytes.
  ['bytes=1mb', 'a'],
  ['bytes=4kb', 'b'],
] as const) {
  test(`tagfocus ${condition} keeps ${expected === '' ? 'nothing' : expected}`, async () => {
    const kept = await filtered(labelled, { tagfocus: condition });
    assert.equal(kept.map((stack) => stack[0]).join(' '), expected);
  });
}

test('tagignore drops what tagfocus would keep', async () => {
  const kept = await filtered(labelled, { tagignore: 'tenant=acme' });
  assert.deepEqual(kept, ['b 2 {tenant=globex bytes=4:kilobytes}', 'd 4']);
});

test('tagshow and taghide choose the labels that stay', async () => {
  assert.deepEqual(await filtered('a 1 {tenant=x region=y k=1}', { tagshow: 'tenant|k' }), ['a 1 {tenant=x k=1}']);
  assert.deepEqual(await filtered('a 1 {tenant=x region=y k=1}', { taghide: 'tenant|k' }), ['a 1 {region=y}']);
});

test('expressions have RE2 syntax, and an error names the option', async () => {
  assert.deepEqual(await filtered(service, { focus: '(?i)QUERY' }), ['main;serve>route;query 5']);
  await assert.rejects(compileFilter({ hide: '(?=x)' }), {
    code: 'E_PATTERN',
    message: /\(\?=/,
    option: ['hide'],
  });
  await assert.rejects(compileFilter({ tagfocus: 'k=99999999999999999999kb' }), {
    code: 'E_PATTERN',
    message: /64 bits/,
    option: ['tagfocus'],
  });
});

test('an expression that would backtrack for ever is answered at once', async () => {
  const profile = profileOf(`${'a'.repeat(50_000)}! 1`);
  const { user: before } = process.cpuUsage();
  assert.deepEqual(await filtered(profile, { focus: '(a+)+$' }), []);
  assert.ok(process.cpuUsage().user - before < 5_000_000);
});

test('options that match nothing are named', async () => {
  const { unmatched } = filterProfile(profileOf(service), await compileFilter({ focus: 'nobody', hide: 'gc' }));
  assert.deepEqual(unmatched, ['focus']);
});

test('any profile stays valid; without options it comes back as it is', async () => {
  const filter = await compileFilter({ hide: '[0-4]$', show_from: 'name', tagignore: 'name1', taghide: '2' });
  const nothing = await compileFilter({ focus: '' });
  fc.assert(
    fc.property(arbitraryProfile(), (profile) => {
      assert.deepEqual(checkProfile(filterProfile(profile, filter).profile), []);
      assert.equal(filterProfile(profile, nothing).profile, profile);
    }),
    { numRuns: 200 },
  );
});
