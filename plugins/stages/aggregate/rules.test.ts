/** The options of aggregate, and the laws that hold with each of them. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import {
  type Aggregate,
  type CreateContext,
  checkProfile,
  defaultLimits,
  FormatError,
  filterSamples,
  type GroupResult,
  type Profile,
  type ProfileHeader,
  stringAt,
  valueSums,
} from '../../../core/index.js';
import type { AggregateOptions } from '../../../schemas/gen/options/aggregate.js';
import { profileOf, stacksOf } from '../../../test/helpers/profiles.js';
import { randomProfile } from '../../../test/helpers/random-profile.js';
import { groupProblems } from './groups.js';
import { aggregate } from './index.js';
import type { AggregatePartial } from './partial.js';
import { weightProblems } from './weights.js';
import { windowProblems } from './windows.js';

const defaults: AggregateOptions = {
  by: [],
  sample_types: 'strict',
  granularity: 'addresses',
  periods: 'largest',
  durations: 'sum',
  clock: 'profile',
  lateness: '0s',
  late: 'add',
  memory: '512MiB',
};
const signal = new AbortController().signal;
const context = { limits: defaultLimits, signal, count: () => {}, warn: () => {} };
const create = async (options: Partial<AggregateOptions>) =>
  (await aggregate.create({ ...defaults, ...options }, {} as CreateContext)) as Aggregate<AggregatePartial>;
const item = (index: number, name = `${index}`) => ({
  index,
  name,
  uri: `${name}.pb.gz`,
  digest: new Uint8Array(32).fill(index + 1),
});

type Input = Profile | { readonly profile: Profile; readonly name: string };

async function results(inputs: readonly Input[], options: Partial<AggregateOptions>): Promise<GroupResult[]> {
  const merging = await create(options);
  let partial = merging.empty();
  inputs.forEach((input, index) => {
    const { profile, name } = 'profile' in input ? input : { profile: input, name: `${index}` };
    partial = merging.add(partial, profile, item(index, name));
  });
  const decoded = merging.decode(merging.encode(partial));
  return [
    ...(merging.finishGroups?.(decoded, context) ?? [{ group: {}, finish: () => merging.finish(decoded, context) }]),
  ];
}

async function merged(inputs: readonly Input[], options: Partial<AggregateOptions> = {}): Promise<Profile> {
  const [only, ...others] = await results(inputs, options);
  assert.equal(others.length, 0);
  const profile = only!.finish();
  assert.deepEqual(checkProfile(profile), []);
  return profile;
}

async function groups(inputs: readonly Input[], options: Partial<AggregateOptions>): Promise<[string, string[]][]> {
  const found: [string, string[]][] = [];
  for (const { group, finish } of await results(inputs, options)) {
    found.push([
      Object.entries(group)
        .map((pair) => pair.join('='))
        .join(' '),
      stacksOf(finish()),
    ]);
  }
  return found;
}

const typed = (...names: string[]): Partial<ProfileHeader> => ({
  sampleTypes: names.map((type) => ({ type, unit: 'count' })),
});

test('granularity: by name, places of different binaries become one', async () => {
  const a = profileOf('main@m.go:1;work@w.go:7 1\nmain@m.go:1;work@w.go:9 2');
  const moved = profileOf('x@x.go:1 4\nmain@m.go:1;work@w.go:7 8');
  const b = { ...moved, mappings: { ...moved.mappings, buildId: Uint32Array.of(0) } };
  const stacks = async (granularity: AggregateOptions['granularity']) =>
    stacksOf(await merged([a, b], { granularity }));
  assert.deepEqual(await stacks('addresses'), ['main;work 1', 'main;work 2', 'x 4', 'main;work 8']);
  assert.deepEqual(await stacks('lines'), ['main;work 9', 'main;work 2', 'x 4']);
  assert.deepEqual(await stacks('functions'), ['main;work 11', 'x 4']);
  assert.deepEqual(await stacks('files'), ['m.go;w.go 11', 'x.go 4']);
});

test('granularity: an address without a name stays what it is', async () => {
  assert.deepEqual(stacksOf(await merged([profileOf('main;0x5000 1\nmain;0x5010 2')], { granularity: 'functions' })), [
    'main;0x5000 1',
    'main;0x5010 2',
  ]);
});

test('sample types: refused, those that all have, or all', async () => {
  const inputs = [profileOf('a 1 2', typed('x', 'y')), profileOf('a 30 40\nb 0 5', typed('y', 'z'))];
  await assert.rejects(merged(inputs), (error) => error instanceof FormatError && error.code === 'E_INCOMPATIBLE');
  const intersect = await merged(inputs, { sample_types: 'intersect' });
  assert.deepEqual(stacksOf(intersect), ['a 32']);
  const union = await merged(inputs, { sample_types: 'union' });
  assert.deepEqual(stacksOf(union), ['a 1 32 40', 'b 0 0 5']);
  assert.deepEqual(
    union.sampleTypes.map(({ type }) => stringAt(union.strings, type)),
    ['x', 'y', 'z'],
  );
});

test('sample types: profiles that have none in common give a profile without values', async () => {
  const inputs = [profileOf('a 1', typed('x')), profileOf('a 2', typed('y'))];
  assert.equal((await merged(inputs, { sample_types: 'intersect' })).samples.length, 0);
});

test('period types must agree, whatever the sample types do', async () => {
  const inputs = ['cpu', 'space'].map((type, index) =>
    profileOf(`a ${'1 '.repeat(index + 1)}`, { periodType: { type, unit: 'x' } }),
  );
  await assert.rejects(merged(inputs, { sample_types: 'union' }), /period types differ/);
  const without = [inputs[0]!, profileOf('a 1')];
  await assert.rejects(merged(without, {}), /period types differ: .* has cpu\/x, .* has none$/);
});

test('scale: a factor for all, or by the first expression that matches', async () => {
  const inputs = [
    { profile: profileOf('a 10'), name: 'canary-1' },
    { profile: profileOf('b 10'), name: 'stable-1' },
    { profile: profileOf('c 10'), name: 'other' },
  ];
  const scale = [
    { input: 'canary', weight: 0.25 },
    { input: '-1', weight: 3 },
  ];
  assert.deepEqual(stacksOf(await merged(inputs, { scale })), ['a 3', 'b 30', 'c 10']);
  assert.deepEqual(stacksOf(await merged(inputs, { scale: 2 })), ['a 20', 'b 20', 'c 20']);
});

test('normalize: every input weighs the same, then is scaled', async () => {
  const inputs = [profileOf('a 1 5\nb 3 15', typed('x', 'y')), profileOf('a 500 0', typed('x', 'y'))];
  assert.deepEqual(stacksOf(await merged(inputs, { normalize: 100 })), ['a 125 25', 'b 75 75']);
  assert.deepEqual(stacksOf(await merged(inputs, { normalize: 100, scale: 2 })), ['a 250 50', 'b 150 150']);
});

test('durations: summed, the longest, or from the first start to the last end', async () => {
  const inputs = [
    profileOf('a 1', { timeNanos: 100, durationNanos: 30 }),
    profileOf('a 1', { timeNanos: 400, durationNanos: 50 }),
    profileOf('a 1', { timeNanos: 0, durationNanos: 7 }),
  ];
  assert.equal((await merged(inputs)).durationNanos, 87n);
  assert.equal((await merged(inputs, { durations: 'longest' })).durationNanos, 50n);
  assert.equal((await merged(inputs, { durations: 'span' })).durationNanos, 350n);
});

test('keep: the heaviest stacks stay, with all their labels; the others are one, and totals stay', async () => {
  const inputs = [profileOf('a;b 4 1 {t=x}\na;b 3 1 {t=y}\na;c 5 1 {t=x}\na 6 9\nd 1 100')];
  const stacks = async (keep: NonNullable<AggregateOptions['keep']>) => stacksOf(await merged(inputs, { keep }));
  assert.deepEqual(await stacks({ stacks: 1, sample_type: 'samples' }), [
    'a;b 4 1 {t=x}',
    'a;b 3 1 {t=y}',
    '[other] 12 110',
  ]);
  assert.deepEqual(await stacks({ stacks: 1 }), ['d 1 100', '[other] 18 12']);
  assert.equal((await stacks({ stacks: 4 })).length, 5);
});

test('by: samples by their labels, inputs by their name, program and types', async () => {
  const inputs = [
    { profile: profileOf('a 1 {service=api}\nb 2 {service=db}\nc 3 {shard=7}'), name: 'host1-cpu' },
    { profile: profileOf('a 10 {service=api}'), name: 'host2-cpu' },
  ];
  assert.deepEqual(await groups(inputs, { by: ['label:service'] }), [
    ['service=', ['c 3 {shard=7}']],
    ['service=api', ['a 11 {service=api}']],
    ['service=db', ['b 2 {service=db}']],
  ]);
  assert.deepEqual(
    (await groups(inputs, { by: ['name:^(?P<host>[a-z]+[0-9])-', 'build_id', 'binary', 'sample_types'] })).map(
      ([key]) => key,
    ),
    [
      'host=host1 build_id=abcd binary=/bin/app sample_types=samples.count',
      'host=host2 build_id=abcd binary=/bin/app sample_types=samples.count',
    ],
  );
  assert.deepEqual(
    (await groups(inputs, { by: ['name:(?P<part>nothing)', 'label:shard'] })).map(([key]) => key),
    ['part= shard=', 'part= shard=7'],
  );
});

test('windows: by the time of the profile, side by side or overlapping', async () => {
  const at = (text: string, profile: string) =>
    profileOf(profile, { timeNanos: BigInt(Date.parse(text)) * 1_000_000n });
  const inputs = [
    at('2026-11-21T15:00:00Z', 'a 1'),
    at('2026-11-21T15:00:59.999Z', 'a 2'),
    at('2026-11-21T15:01:00Z', 'a 4'),
    profileOf('a 8'),
  ];
  assert.deepEqual(await groups(inputs, { every: '1m' }), [
    ['window=20261121T150000Z', ['a 3']],
    ['window=20261121T150100Z', ['a 4']],
    ['window=none', ['a 8']],
  ]);
  assert.deepEqual(await groups(inputs.slice(0, 3), { every: '2m', slide: '1m' }), [
    ['window=20261121T145900Z', ['a 3']],
    ['window=20261121T150000Z', ['a 7']],
    ['window=20261121T150100Z', ['a 4']],
  ]);
});

test('a profile that one group refuses is in none', async () => {
  const merging = await create({ by: ['label:t'] });
  const first = merging.add(merging.empty(), profileOf('a 1 {t=x}', typed('x')), item(0));
  const before = merging.encode(merging.decode(merging.encode(first))).map((piece) => Uint8Array.from(piece));
  assert.throws(
    () => merging.add(first, profileOf('b 1 {t=y}\na 1 {t=x}', typed('y')), item(1)),
    /sample types differ/,
  );
  assert.deepEqual(
    merging.encode(first).map((piece) => Uint8Array.from(piece)),
    before,
  );
});

test('what cannot be said by the schema is found when the pipeline is checked', async () => {
  const problems = await groupProblems({ by: ['name:(', 'name:x', 'label:a', 'label:a'] });
  assert.deepEqual(
    problems.map(({ path }) => path),
    [['by', 0], ['by', 1], ['by']],
  );
  assert.deepEqual(
    (await weightProblems({ ...defaults, scale: [{ input: '[', weight: 1 }] })).map(({ path }) => path),
    [['scale', 0, 'input']],
  );
});

test('windows that leave gaps, or overlap a thousandfold, are refused, and what says how there is without windows', () => {
  const problems = (options: Partial<AggregateOptions>) =>
    windowProblems({ ...defaults, ...options }).map(({ path, message }) => `${path}: ${message}`);
  assert.deepEqual(problems({ slide: '1m', lateness: '5s' }), [
    'slide: windows that slide need a length: every',
    'lateness: there are no windows without every',
  ]);
  assert.deepEqual(problems({ every: '1m', slide: '61s' }), [
    'slide: a profile between two windows would be in none: at most every, 1m',
  ]);
  assert.deepEqual(problems({ every: '1d', slide: '86s' }), [
    'slide: each profile would be in 1005 windows, more than 1000',
  ]);
  assert.deepEqual(problems({ every: '1000s', slide: '1s' }), []);
  assert.deepEqual(problems({ every: '1m', slide: '1m', lateness: '5s' }), []);
});

const rules: fc.Arbitrary<Partial<AggregateOptions>> = fc.record(
  {
    by: fc.subarray(['label:name1', 'label:name2', 'build_id', 'sample_types', 'name:^(?P<digit>.)']),
    every: fc.constantFrom('1s', '5m'),
    sample_types: fc.constantFrom('intersect' as const, 'union' as const),
    granularity: fc.constantFrom('addresses' as const, 'lines' as const, 'functions' as const, 'files' as const),
    scale: fc.constantFrom(2, [{ input: '1', weight: 0.5 }]),
    durations: fc.constantFrom('sum' as const, 'longest' as const, 'span' as const),
    keep: fc.record({ stacks: fc.integer({ min: 1, max: 5 }) }),
  },
  { requiredKeys: [] },
);

/** Random profiles whose sums stay within 64 bits, some of them of other sample types. */
function inputOf(seed: number): Profile {
  const profile = randomProfile(seed, 12);
  const values = profile.samples.values.map((value) => BigInt.asIntN(40, value));
  const small = {
    durationNanos: BigInt.asIntN(40, profile.durationNanos),
    timeNanos: BigInt.asUintN(45, profile.timeNanos),
  };
  return { ...profile, ...small, periodType: undefined, samples: { ...profile.samples, values } };
}

test('the result is the same whatever the order and the partials are, with any options', async () => {
  await fc.assert(
    fc.asyncProperty(
      rules,
      fc.array(fc.integer({ min: 0, max: 30 }), { minLength: 1, maxLength: 6 }),
      fc.integer(),
      async (options, seeds, shuffle) => {
        const merging = await create({ sample_types: 'union', ...options });
        const finish = (partial: AggregatePartial) =>
          Array.from(
            merging.finishGroups?.(partial, context) ?? [{ group: {}, finish: () => merging.finish(partial, context) }],
            ({ group, finish: end }) => ({ ...group, profile: end() }),
          );
        const add = (order: readonly number[]) =>
          order.reduce(
            (partial, index) => merging.add(partial, inputOf(seeds[index]!), item(seeds[index]!)),
            merging.empty(),
          );
        const indexes = seeds.map((_, index) => index);
        const inOrder = finish(add(indexes));
        const order = [...indexes].sort((a, b) => Math.sin(a * 7 + shuffle) - Math.sin(b * 7 + shuffle));
        const cut = Math.abs(shuffle) % (seeds.length + 1);
        const parts = [order.slice(0, cut), order.slice(cut)].map((part) => merging.decode(merging.encode(add(part))));
        assert.deepEqual(finish(merging.merge(parts[0]!, parts[1]!)), inOrder);
        for (const { profile } of inOrder) assert.deepEqual(checkProfile(profile), []);
        if (options.every === undefined && options.scale === undefined && options.sample_types === 'union') {
          const total = (profiles: readonly Profile[]) =>
            profiles.flatMap(valueSums).reduce((sum, value) => sum + value, 0n);
          assert.equal(total(inOrder.map(({ profile }) => profile)), total(seeds.map(inputOf)));
        }
      },
    ),
    { numRuns: 500 },
  );
});

/** A profile cut into pieces of up to `most` samples, as a codec may give a large one. */
function* piecesOf(profile: Profile, most: number): Generator<Profile> {
  const { samples, sampleTypes } = profile;
  for (let from = 0; from === 0 || from < samples.length; from += most) {
    const to = Math.min(samples.length, from + most);
    const frames = samples.stackStart[from]!;
    const labels = samples.labelStart[from]!;
    const labelEnd = samples.labelStart[to]!;
    const { key, str, num, numUnit } = samples.labels;
    yield {
      ...profile,
      samples: {
        length: to - from,
        stackStart: samples.stackStart.slice(from, to + 1).map((start) => start - frames),
        stackLocations: samples.stackLocations.slice(frames, samples.stackStart[to]),
        values: samples.values.slice(from * sampleTypes.length, to * sampleTypes.length),
        labelStart: samples.labelStart.slice(from, to + 1).map((start) => start - labels),
        labels: {
          length: labelEnd - labels,
          key: key.slice(labels, labelEnd),
          str: str.slice(labels, labelEnd),
          num: num.slice(labels, labelEnd),
          numUnit: numUnit.slice(labels, labelEnd),
        },
      },
    };
  }
}

test('a profile in pieces is what the whole is, with any options', async () => {
  await fc.assert(
    fc.asyncProperty(
      rules,
      fc.array(fc.integer({ min: 0, max: 30 }), { minLength: 1, maxLength: 5 }),
      fc.integer({ min: 1, max: 4 }),
      async (options, seeds, most) => {
        const merging = await create({ sample_types: 'union', ...options });
        const finish = (partial: AggregatePartial) =>
          Array.from(
            merging.finishGroups?.(partial, context) ?? [{ group: {}, finish: () => merging.finish(partial, context) }],
            ({ group, finish: end }) => ({ ...group, profile: end() }),
          );
        let whole = merging.empty();
        let joined = merging.empty();
        for (const seed of seeds) {
          const profile = { ...inputOf(seed), unknown: undefined };
          whole = merging.add(whole, profile, item(seed));
          let own = merging.empty();
          let samplesBefore = 0;
          for (const piece of piecesOf(profile, most)) {
            own = merging.pieces!.add(own, piece, item(seed), samplesBefore);
            samplesBefore += piece.samples.length;
          }
          const header = filterSamples(profile, () => false);
          joined = merging.pieces!.join(joined, own, header, item(seed));
        }
        assert.deepEqual(finish(joined), finish(whole));
      },
    ),
    { numRuns: 500 },
  );
});

test('a profile in pieces that does not go with the others leaves nothing', async () => {
  const merging = await create({ by: ['label:tenant'], periods: 'refuse' });
  const text = 'main;a 1 {tenant=x}\nmain;b 2 {tenant=y}';
  const first = profileOf(text, { period: 1n });
  const other = profileOf(text, { period: 2n });
  const partial = merging.add(merging.empty(), first, item(0));
  let own = merging.empty();
  for (const [index, piece] of [...piecesOf(other, 1)].entries()) own = merging.pieces!.add(own, piece, item(1), index);
  const message = { code: 'E_INCOMPATIBLE', message: 'periods differ: 0.pb.gz has 1, 1.pb.gz has 2' };
  assert.throws(() => merging.pieces!.join(partial, own, other, item(1)), message);
  assert.throws(() => merging.add(partial, other, item(1)), message);
  const profiles = (of: AggregatePartial) => Array.from(merging.finishGroups!(of, context), ({ finish }) => finish());
  assert.deepEqual(profiles(partial), profiles(merging.add(merging.empty(), first, item(0))));
});

test('pieces cannot be normalized: a value counts by the sum of all', async () => {
  assert.equal((await create({ normalize: 100 })).pieces, undefined);
});

test('windows that have ended are taken out as they are, and the rest goes on as if they had not been there', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.tuple(fc.integer({ min: 0, max: 30 }), fc.integer({ min: 0, max: 20 })), { maxLength: 6 }),
      fc.array(fc.tuple(fc.integer({ min: 0, max: 30 }), fc.integer({ min: 0, max: 20 })), { maxLength: 4 }),
      fc.constantFrom(undefined, '2s'),
      fc.integer({ min: 999, max: 1_025 }),
      async (before, after, slide, untilS) => {
        const merging = await create({
          sample_types: 'union',
          by: ['name:^(?P<digit>.)'],
          every: '4s',
          ...(slide && { slide }),
        });
        const windows = merging.windows!;
        const inputs = [...before, ...after].map(([seed, timeS], index) => ({
          profile: { ...inputOf(seed), timeNanos: timeS === 0 ? 0n : BigInt(1_000 + timeS) * 1_000_000_000n },
          info: item(index),
        }));
        const add = (partial: AggregatePartial, chosen: typeof inputs) =>
          chosen.reduce((sum, { profile, info }) => merging.add(sum, profile, info), partial);
        const finish = (partial: AggregatePartial) =>
          new Map(
            Array.from(merging.finishGroups!(partial, context), ({ group, finish: end }) => [
              JSON.stringify(group),
              end(),
            ]),
          );
        const early = inputs.slice(0, before.length);
        const late = inputs.slice(before.length);
        const open = merging.decode(merging.encode(add(merging.empty(), early)));
        const ended = finish(windows.takeEnded(open, untilS * 1_000));
        // A run that ended there goes on with what it wrote in part.
        const again = early
          .filter(({ profile, info }) => windows.endsOf(profile, info).length > 0)
          .map(({ profile, info }) => ({ profile, info: { ...info, writtenUntilMs: untilS * 1_000 } }));
        for (const { profile, info } of again) {
          const all = windows.endsOf(profile, { ...info, writtenUntilMs: Number.NEGATIVE_INFINITY });
          assert.deepEqual(
            windows.endsOf(profile, info),
            all.filter((end) => end > untilS * 1_000),
          );
        }
        assert.deepEqual(finish(add(merging.empty(), again)), finish(merging.decode(merging.encode(open))));
        const rest = finish(add(merging.decode(merging.encode(open)), late));
        // By hand: what each input's windows are on either side of the time.
        const startsOf = (chosen: typeof inputs, isEnded: (end: number) => boolean) =>
          new Set(
            chosen.flatMap(({ profile, info }) => {
              const ends = windows.endsOf(profile, info);
              if (ends.length === 0) return isEnded(Number.NEGATIVE_INFINITY) ? ['none'] : [];
              return ends.filter(isEnded).map((end) => new Date(end - 4_000).toISOString().replace(/[-:]|\.\d+/g, ''));
            }),
          );
        const windowsOf = (results: ReadonlyMap<string, Profile>) =>
          new Set(Array.from(results.keys(), (group) => (JSON.parse(group) as { window: string }).window));
        const isEnded = (end: number) => end <= untilS * 1_000;
        assert.deepEqual(windowsOf(ended), startsOf(early, isEnded));
        const remaining = startsOf(early, (end) => !isEnded(end));
        for (const window of startsOf(late, () => true)) remaining.add(window);
        assert.deepEqual(windowsOf(rest), remaining);
        const whole = finish(add(merging.empty(), early));
        for (const [group, profile] of ended) assert.deepEqual(profile, whole.get(group));
      },
    ),
    { numRuns: 200 },
  );
});
