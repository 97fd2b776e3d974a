/** The everyday edits, held against the same edit of plain objects, on random profiles and on drawn ones. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { profileOf, stacksOf } from '../../../test/helpers/profiles.js';
import { arbitraryProfile } from '../../../test/helpers/random-profile.js';
import { checkProfile } from '../check.js';
import type { Profile } from '../profile.js';
import { addFrames, foldFrames, renameFunctions } from './frame-maps.js';
import { findFunctions } from './function-texts.js';
import { mapLabel, setLabel } from './label-maps.js';
import { fromPlainProfile, type PlainSample, plainProfile } from './plain-samples.js';
import { addSampleType, dropSampleType, filterSamples } from './sample-edits.js';
import { forEachSample, type SampleView } from './sample-view.js';

/** Holds an edit against the same edit of plain samples, on random profiles. */
function agrees(edit: (profile: Profile) => Profile, plain: (sample: PlainSample) => PlainSample[]): void {
  fc.assert(
    fc.property(arbitraryProfile(), (profile) => {
      const before = structuredClone(profile);
      const edited = edit(profile);
      assert.deepEqual(checkProfile(edited), []);
      assert.deepEqual(plainProfile(edited).samples, plainProfile(profile).samples.flatMap(plain));
      assert.deepEqual(profile, before);
    }),
    { numRuns: 1_000 },
  );
}

const isOdd = (name: string) => /[13579]$/.test(name);
const virtual = (name: string) => ({ name, filename: '', line: 0, address: 0n });

test('a view gives the frames, values and labels that plain samples have', () => {
  fc.assert(
    fc.property(arbitraryProfile({ invalidUtf8: false }), (profile) => {
      const { samples } = plainProfile(profile);
      forEachSample(profile, (view) => {
        const { frames, values, labels } = samples[view.row]!;
        const names: string[] = [];
        view.eachFrame('root-first', (row) => {
          names.unshift(view.functionName(row));
        });
        assert.deepEqual(
          names,
          frames.map(({ name }) => name),
        );
        assert.deepEqual(
          values.map((_, type) => view.bigValue(type)),
          values,
        );
        for (const [type, value] of values.entries()) assert.equal(view.value(type), Number(value));
        for (const [key, value] of Object.entries(labels)) {
          if (typeof value === 'string') assert.equal(view.label(key), value);
          else assert.equal(view.numberLabel(key), Number(value));
        }
        assert.equal(view.label('no such key'), undefined);
        assert.equal(view.location(view.depth), undefined);
      });
    }),
    { numRuns: 1_000 },
  );
});

test('eachFrame stops where it is told to', () => {
  const seen: string[] = [];
  forEachSample(profileOf('main;a>b;c 1'), (sample) => {
    sample.eachFrame('leaf-first', (row) => seen.push(sample.functionName(row)) < 2);
    sample.eachFrame('root-first', (row) => seen.push(sample.functionName(row)) < 5);
  });
  assert.deepEqual(seen, ['c', 'b', 'main', 'a', 'b']);
});

test('filterSamples keeps what a plain filter keeps', () => {
  agrees(
    (profile) => filterSamples(profile, (sample) => sample.bigValue(0) % 2n === 0n),
    (sample) => (sample.values[0]! % 2n === 0n ? [sample] : []),
  );
});

test('filterSamples by a call keeps the stacks that a function of the name is in', () => {
  agrees(
    (profile) => {
      const odd = findFunctions(profile, /[13579]$/g);
      return filterSamples(profile, (sample) => sample.calls(odd));
    },
    (sample) => (sample.frames.some(({ name }) => isOdd(name)) ? [sample] : []),
  );
});

test('addSampleType puts a value behind the others, exact over the whole range', () => {
  const values = [0, -1, 2 ** 32, -(2 ** 32) - 1, 2 ** 53 - 1, -(2 ** 53 - 1), 2n ** 63n - 1n, -(2n ** 63n), -1n];
  const extremeOf = (sample: { readonly row: number }) => values[sample.row % values.length]!;
  let row = 0;
  fc.assert(
    fc.property(arbitraryProfile(), (profile) => {
      row = 0;
      const edited = addSampleType(profile, { type: 'depth', unit: 'frames' }, extremeOf);
      assert.deepEqual(checkProfile(edited), []);
      for (const { values: has } of plainProfile(edited).samples)
        assert.equal(has.at(-1), BigInt(extremeOf({ row: row++ })));
      assert.deepEqual(
        plainProfile(dropSampleType(edited, edited.sampleTypes.length - 1)).samples,
        plainProfile(profile).samples,
      );
    }),
    { numRuns: 1_000 },
  );
  for (const wrong of [0.5, Number.NaN, 2 ** 53, 2n ** 63n]) {
    assert.throws(() => addSampleType(profileOf('a 1'), { type: 't', unit: '' }, () => wrong), RangeError);
  }
});

test('dropSampleType leaves the others in their places', () => {
  assert.deepEqual(stacksOf(dropSampleType(profileOf('a 1 2\nb 3 4'), 0)), ['a 2', 'b 4']);
  assert.throws(() => dropSampleType(profileOf('a 1'), 0), RangeError);
});

test('renameFunctions changes names and nothing else', () => {
  const rename = (name: string) => (isOdd(name) ? `odd ${name}` : name);
  agrees(
    (profile) => renameFunctions(profile, ({ name }) => (isOdd(name) ? `odd ${name}` : undefined)),
    (sample) => [
      {
        ...sample,
        frames: sample.frames.map((frame) => (frame.name === '' ? frame : { ...frame, name: rename(frame.name) })),
      },
    ],
  );
});

test('addFrames puts a virtual frame at an end', () => {
  const group = ({ values }: PlainSample) => (values[0]! < 0n ? [virtual('negative')] : []);
  const name = (sample: SampleView) => (sample.value(0) < 0 ? 'negative' : undefined);
  agrees(
    (profile) => addFrames(profile, 'root', name),
    (sample) => [{ ...sample, frames: [...sample.frames, ...group(sample)] }],
  );
  agrees(
    (profile) => addFrames(profile, 'leaf', name),
    (sample) => [{ ...sample, frames: [...group(sample), ...sample.frames] }],
  );
});

test('setLabel gives every sample one label of the key', () => {
  const value = ({ row }: SampleView) => [undefined, 'text', 7, -1n][row % 4];
  fc.assert(
    fc.property(arbitraryProfile(), (profile) => {
      const edited = setLabel(profile, 'name1', value, 'bytes');
      assert.deepEqual(checkProfile(edited), []);
      const { samples } = plainProfile(profile);
      for (const [row, sample] of plainProfile(edited).samples.entries()) {
        const { name1: _, ...others } = samples[row]!.labels;
        const { name1, ...left } = sample.labels;
        assert.deepEqual(left, others);
        assert.equal(name1, [undefined, 'text', 7n, -1n][row % 4]);
      }
    }),
    { numRuns: 1_000 },
  );
});

test('mapLabel asks once for each text, takes off what gets none, and leaves numbers alone', () => {
  const asked: string[] = [];
  const profile = profileOf('a 1 {user=ann user=bob n=1}\nb 2 {user=ann}\nc 3 {user=eve}\nd 4 {user=7}');
  const edited = mapLabel(profile, 'user', (user) => {
    asked.push(user);
    return user === 'eve' ? undefined : user.toUpperCase();
  });
  assert.deepEqual(stacksOf(edited), ['a 1 {user=ANN user=BOB n=1}', 'b 2 {user=ANN}', 'c 3', 'd 4 {user=7}']);
  assert.deepEqual(asked, ['ann', 'bob', 'eve']);
  assert.deepEqual(checkProfile(edited), []);
  assert.equal(
    mapLabel(profile, 'tenant', () => 'x'),
    profile,
  );
});

test('foldFrames makes one virtual frame of a run, also of an inlined one', () => {
  const profile = profileOf(
    'main;runtime.a;runtime.b;leaf 1\nruntime.a;main;runtime.b 2\nmain>runtime.a>runtime.b>in;runtime.b 3',
  );
  const folded = foldFrames(profile, ({ name }) => (name.startsWith('runtime.') ? '[runtime]' : undefined));
  assert.deepEqual(stacksOf(folded), [
    'main;[runtime];leaf 1',
    '[runtime];main;[runtime] 2',
    'main>[runtime]>in;[runtime] 3',
  ]);
  assert.deepEqual(checkProfile(folded), []);
});

test('foldFrames keeps values and every frame that it does not fold', () => {
  fc.assert(
    fc.property(arbitraryProfile(), (profile) => {
      const folded = foldFrames(profile, ({ name }) => (isOdd(name) ? '[odd]' : undefined));
      assert.deepEqual(checkProfile(folded), []);
      const stays = ({ frames, ...rest }: PlainSample) => ({
        ...rest,
        frames: frames.filter(({ name }) => name !== '[odd]' && !isOdd(name)),
      });
      assert.deepEqual(plainProfile(folded).samples.map(stays), plainProfile(profile).samples.map(stays));
      for (const { frames } of plainProfile(folded).samples) assert.ok(!frames.some(({ name }) => isOdd(name)));
    }),
    { numRuns: 1_000 },
  );
});

test('plain samples go back into a profile', () => {
  const text = 'main;a>b;c 1 2 {tenant=x n=5}\n0x4a0 3 4';
  const back = fromPlainProfile(plainProfile(profileOf(text)));
  assert.deepEqual(stacksOf(back), ['main;a;b;c 1 2 {tenant=x n=5}', '0x4a0 3 4']);
  assert.deepEqual(checkProfile(back), []);
});
