import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { checkProfile, type Profile, stringAt } from '../../../core/index.js';
import { profileOf, stacksOf } from '../../../test/helpers/profiles.js';
import { arbitraryProfile } from '../../../test/helpers/random-profile.js';
import { anonymize, anonymizeProblems, compileKept } from './anonymize.js';

const key = 'correct horse battery staple';
const keepStandard = { keep_standard: true };
const strings = (profile: Profile) =>
  Array.from({ length: profile.strings.length }, (_, row) => stringAt(profile.strings, row));

test('names, files and label values become tokens; those of the standard library stay', async () => {
  const profile = profileOf(
    'main.secret@/home/me/secret.go:7;net/http.serve@/home/me/go/src/net/http/server.go:3;slices.Sort[main.secret]@/x/slices.go:1 5 {tenant=acme}',
    { comments: ['made by me'], dropFrames: 'main.secret' },
  );
  const hidden = anonymize(profile, { key, isKept: await compileKept(keepStandard), labels: 'tokens' });
  assert.deepEqual(checkProfile(hidden), []);
  const texts = strings(hidden);
  for (const text of texts) assert.doesNotMatch(text, /secret|acme|home|bin|abcd|me$|slices/);
  assert.ok(texts.includes('net/http.serve') && texts.includes('net/http/server.go') && texts.includes('tenant'));
  assert.match(
    stacksOf(hidden)[0]!,
    /^function_[0-9a-f]{20};net\/http\.serve;function_[0-9a-f]{20} 5 \{tenant=value_[0-9a-f]{20}\}$/,
  );
  assert.deepEqual([...hidden.locations.lines.line], [...profile.locations.lines.line]);
});

test('a token depends on the name, the part and the key, and on nothing else', async () => {
  const isKept = await compileKept({ keep_standard: false });
  const [one, again, other] = [
    anonymize(profileOf('a;b 1'), { key, isKept, labels: 'tokens' }),
    anonymize(profileOf('b;a;c 2'), { key, isKept, labels: 'tokens' }),
    anonymize(profileOf('a;b 1'), { key: `${key}!`, isKept, labels: 'tokens' }),
  ].map((profile) => strings(profile).filter((text) => text.startsWith('function_')));
  assert.equal(again!.filter((text) => one!.includes(text)).length, 2);
  assert.equal(other!.filter((text) => one!.includes(text)).length, 0);
});

test('labels may go, or stay', async () => {
  const isKept = await compileKept({ ...keepStandard, keep: '^main$' });
  const profile = profileOf('main 5 {tenant=acme bytes=5}');
  assert.deepEqual(stacksOf(anonymize(profile, { key, isKept, labels: 'drop' })), ['main 5']);
  assert.deepEqual(stacksOf(anonymize(profile, { key, isKept, labels: 'keep' })), ['main 5 {tenant=acme bytes=5}']);
});

test('frames of no program keep their names', async () => {
  const isKept = await compileKept({ keep_standard: false });
  const stacks = stacksOf(anonymize(profileOf('[other] 5\n[truncated];main 3'), { key, isKept, labels: 'tokens' }));
  assert.equal(stacks[0], '[other] 5');
  assert.match(stacks[1]!, /^\[truncated\];function_[0-9a-f]{20} 3$/);
});

test('of any profile nothing is left that may name something, and the shape stays', async () => {
  const isKept = await compileKept(keepStandard);
  fc.assert(
    fc.property(arbitraryProfile(), (profile) => {
      const hidden = anonymize(profile, { key, isKept, labels: 'tokens' });
      assert.deepEqual(checkProfile(hidden), []);
      assert.deepEqual(hidden.samples.values, profile.samples.values);
      assert.deepEqual(hidden.samples.stackStart, profile.samples.stackStart);
      const named = [
        hidden.functions.name,
        hidden.functions.systemName,
        hidden.functions.filename,
        hidden.mappings.filename,
      ];
      for (const column of named) {
        for (const row of column) assert.match(stringAt(hidden.strings, row), /^$|^[a-z]+_[0-9a-f]{20}$/);
      }
    }),
    { numRuns: 300 },
  );
});

test('an expression that does not compile is found when the pipeline is checked', async () => {
  assert.deepEqual(
    (await anonymizeProblems({ ...keepStandard, key, labels: 'tokens', keep: '(' })).map(({ path }) => path),
    [['keep']],
  );
});
