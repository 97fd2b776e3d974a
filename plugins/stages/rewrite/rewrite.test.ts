import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { checkProfile, compactProfile, mapTexts, type Profile, stringAt } from '../../../core/index.js';
import { profileOf, stacksOf } from '../../../test/helpers/profiles.js';
import { arbitraryProfile } from '../../../test/helpers/random-profile.js';
import { compileRules, rewriteProblems } from './rewrite.js';

const texts = (profile: Profile, column: Uint32Array) => Array.from(column, (row) => stringAt(profile.strings, row));

test('rules run in their order, on the part that they are for', async () => {
  const profile = profileOf('/bin/app@/home/ci/7/a.go:1 1 {/bin/app=/home/ci/7/a.go}');
  const rewritten = mapTexts(
    profile,
    await compileRules({
      files: [
        { from: '^/home/ci/(\\d+)/', to: 'build$1/' },
        { from: '^build', to: 'b' },
      ],
      mappings: [{ from: '(?P<base>[^/]+)$', to: '[$<base>]' }],
    }),
  );
  assert.deepEqual(checkProfile(rewritten), []);
  assert.deepEqual(texts(rewritten, rewritten.functions.filename), ['b7/a.go']);
  assert.deepEqual(texts(rewritten, rewritten.mappings.filename), ['/bin/[app]']);
  assert.deepEqual(stacksOf(rewritten), ['/bin/app 1 {/bin/app=/home/ci/7/a.go}']);
  const named = mapTexts(profile, await compileRules({ functions: [{ from: '/', to: '' }] }));
  assert.deepEqual(texts(named, named.functions.name), ['binapp']);
  assert.deepEqual(texts(named, named.functions.systemName), ['/bin/app']);
});

test('what no rule matches keeps its bytes, valid UTF-8 or not', async () => {
  const maps = await compileRules({ files: [{ from: 'nowhere', to: 'x' }], functions: [{ from: 'nowhere', to: 'x' }] });
  fc.assert(
    fc.property(arbitraryProfile(), (profile) => {
      const same = mapTexts(profile, maps);
      assert.deepEqual(checkProfile(same), []);
      assert.deepEqual(same, compactProfile(profile));
    }),
  );
});

test('every expression that does not compile is found when the pipeline is checked', async () => {
  const problems = await rewriteProblems({
    files: [
      { from: 'a', to: '' },
      { from: '(', to: '' },
    ],
    mappings: [{ from: '[', to: '' }],
  });
  assert.deepEqual(
    problems.map(({ path }) => path),
    [
      ['files', 1, 'from'],
      ['mappings', 0, 'from'],
    ],
  );
});
