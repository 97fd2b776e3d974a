import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { checkProfile, type Profile, valueSums } from '../../../core/index.js';
import { profileOf, stacksOf } from '../../../test/helpers/profiles.js';
import { arbitraryProfile } from '../../../test/helpers/random-profile.js';
import { foldLibraries } from './fold.js';
import { foldedFunctions, foldProblems } from './folded-functions.js';

async function folded(
  text: string | Profile,
  options: { packages?: string[]; functions?: string; everywhere?: boolean },
) {
  const profile = typeof text === 'string' ? profileOf(text) : text;
  const isFolded = await foldedFunctions({ packages: [], everywhere: false, ...options });
  const result = foldLibraries(profile, isFolded, options.everywhere === true ? 'everywhere' : 'leaf');
  assert.deepEqual(checkProfile(result.profile), []);
  return { ...result, stacks: stacksOf(result.profile) };
}

test('the cost of library frames at the leaf goes to the first caller outside', async () => {
  const { stacks, foldedSamples } = await folded(
    'runtime.main;main.main;sort.Slice;main.less;runtime.mallocgc;runtime.nextFree 5 {tenant=a}\nruntime.main;main.main 1',
    { packages: ['std'] },
  );
  assert.deepEqual(stacks, ['runtime.main;main.main;sort.Slice;main.less 5 {tenant=a}', 'runtime.main;main.main 1']);
  assert.equal(foldedSamples, 1);
});

test('everywhere takes them out of the middle and the root too', async () => {
  const { stacks } = await folded('runtime.main;main.main;sort.Slice;main.less>strings.Index;runtime.mallocgc 5', {
    packages: ['std'],
    everywhere: true,
  });
  assert.deepEqual(stacks, ['main.main;main.less 5']);
});

test('inlined library calls fold where their location is the leaf, and stay where it is a caller', async () => {
  const { stacks } = await folded('main.a>strings.Index>bytealg 1\nmain.a>strings.Index>bytealg;main.b 2', {
    functions: '^(strings|bytealg)',
  });
  assert.deepEqual(stacks, ['main.a 1', 'main.a>strings.Index>bytealg;main.b 2']);
});

test('a stack without a caller outside stays as it is', async () => {
  for (const everywhere of [false, true]) {
    const { stacks, samplesWithoutCaller } = await folded('runtime.mcall;runtime.park_m 5\nmain.a;runtime.mcall 1', {
      packages: ['runtime'],
      everywhere,
    });
    assert.deepEqual(stacks, ['runtime.mcall;runtime.park_m 5', 'main.a 1']);
    assert.equal(samplesWithoutCaller, 1);
  }
});

test('an address without symbols is nobody’s, and ends the run', async () => {
  const { stacks } = await folded('main.a;runtime.cgocall;0x5000;runtime.mallocgc 1', { packages: ['std'] });
  assert.deepEqual(stacks, ['main.a;runtime.cgocall;0x5000 1']);
});

test('packages go by import path: of names, of the files of assembly, and of what the compiler makes', async () => {
  const names = [
    'net/http.(*conn).serve',
    'vendor/golang.org/x/net/http2/hpack.(*Encoder).WriteField',
    'memeqbody@/usr/local/go/src/internal/bytealg/equal_amd64.s:1',
    'cmpbody@internal/bytealg/compare_amd64.s:1',
    'type:.eq.main.Key',
    'slices.SortFunc[go.shape.[]example.com/x.Item]',
  ];
  const others = [
    'golang.org/x/net/http2.(*Framer).ReadFrame',
    'main.Map[net/http.Header]',
    'errorsx.New',
    'std::sort',
    'work@work.s:1',
  ];
  for (const name of names)
    assert.deepEqual((await folded(`main.a;${name} 1`, { packages: ['std'] })).stacks, ['main.a 1'], name);
  for (const name of others)
    assert.equal((await folded(`main.a;${name} 1`, { packages: ['std'] })).foldedSamples, 0, name);
  const below = await folded('main.a;example.com/x/y.F 1\nmain.a;example.com/xy.F 2', { packages: ['example.com/x'] });
  assert.deepEqual(below.stacks, ['main.a 1', 'main.a;example.com/xy.F 2']);
});

test('any profile keeps its sums, and stays valid', async () => {
  await fc.assert(
    fc.asyncProperty(arbitraryProfile(), fc.boolean(), async (profile, everywhere) => {
      const { profile: result } = await folded(profile, { functions: '[1-5]$', everywhere });
      assert.deepEqual(valueSums(result), valueSums(profile));
      assert.equal(result.samples.length, profile.samples.length);
    }),
    { numRuns: 500 },
  );
});

test('an expression that does not compile is found when the pipeline is checked', async () => {
  assert.deepEqual(
    (await foldProblems({ packages: [], everywhere: false, functions: '(' })).map(({ path }) => path),
    [['functions']],
  );
});
