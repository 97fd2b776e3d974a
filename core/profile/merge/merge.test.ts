import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { describe, test } from 'node:test';
import { randomProfile } from '../../../test/helpers/random-profile.js';
import { FormatError } from '../../formats/errors.js';
import { checkProfile } from '../check.js';
import { ProfileBuilder } from '../edit/builder.js';
import { profileText } from '../figures/text.js';
import { NO_ROW, type Profile, stringAt } from '../profile.js';
import { addProfile } from './add.js';
import { combineMerges } from './combine.js';
import { finishMerge } from './finish.js';
import { MergeState } from './state.js';
import { decodeMerge, encodeMerge } from './wire.js';

const digestOf = (profile: Profile) => createHash('sha256').update(text(profile)).digest();
const text = (profile: Profile) => [...profileText(profile)].join('');

function stateOf(profiles: readonly Profile[]): MergeState {
  const state = new MergeState();
  for (const [i, profile] of profiles.entries()) addProfile(state, profile, { uri: `${i}`, digest: digestOf(profile) });
  return state;
}

function merged(profiles: readonly Profile[]): Profile {
  const { profile } = finishMerge(stateOf(profiles));
  assert.deepEqual(checkProfile(profile), []);
  return profile;
}

/** Profiles of one family: the same types, values that do not overflow, tables that overlap. */
function family(seed: number, count: number): Profile[] {
  return Array.from({ length: count }, (_, i) => {
    const profile = randomProfile(seed * 100 + i, 8);
    return {
      ...profile,
      sampleTypes: [{ type: 0, unit: 0 }],
      periodType: undefined,
      durationNanos: BigInt(i),
      samples: {
        ...profile.samples,
        values: new BigInt64Array(profile.samples.length).map((_, s) => BigInt((s * 7 + i) % 4)),
      },
    };
  });
}

/** Every sample as text, with everything that google/pprof's key has, and the sum of its values: a naive merge. */
function naive(profiles: readonly Profile[]): Map<string, bigint> {
  const sums = new Map<string, bigint>();
  for (const profile of profiles) {
    for (let row = 0; row < profile.samples.length; row++) {
      const key = sampleKey(profile, row);
      sums.set(key, (sums.get(key) ?? 0n) + profile.samples.values[row]!);
    }
  }
  for (const [key, sum] of sums) if (sum === 0n) sums.delete(key);
  return sums;
}

function sampleKey(profile: Profile, row: number): string {
  const { samples, locations, functions, mappings, strings } = profile;
  const { lines } = locations;
  const bytes = (string: number) =>
    Buffer.from(strings.bytes.subarray(strings.starts[string], strings.starts[string + 1])).toString('latin1');
  const stack = Array.from(
    samples.stackLocations.subarray(samples.stackStart[row], samples.stackStart[row + 1]),
    (location) => {
      const mapping = locations.mapping[location]!;
      const inMapping =
        mapping === NO_ROW
          ? ['no mapping', locations.address[location]]
          : [
              (BigInt.asUintN(64, mappings.memoryLimit[mapping]! - mappings.memoryStart[mapping]!) + 4095n) / 4096n,
              mappings.fileOffset[mapping],
              bytes(mappings.buildId[mapping]!) || bytes(mappings.filename[mapping]!),
              BigInt.asUintN(64, locations.address[location]! - mappings.memoryStart[mapping]!),
            ];
      const frames = [];
      for (let i = locations.lineStart[location]!; i < locations.lineStart[location + 1]!; i++) {
        const f = lines.function[i]!;
        const names = [functions.name[f]!, functions.systemName[f]!, functions.filename[f]!].map(bytes);
        frames.push([...names, functions.startLine[f], lines.line[i], lines.column?.[i] ?? 0n]);
      }
      return [...inMapping, locations.isFolded[location], frames];
    },
  );
  const labels = [];
  for (let i = samples.labelStart[row]!; i < samples.labelStart[row + 1]!; i++) {
    const { key, str, num, numUnit } = samples.labels;
    labels.push([str[i] === 0 ? 1 : 0, bytes(key[i]!), [bytes(str[i]!), num[i], bytes(numUnit[i]!)]] as const);
  }
  labels.sort((a, b) => a[0] - b[0] || (a[1] < b[1] ? -1 : a[1] > b[1] ? 1 : 0));
  return JSON.stringify([stack, labels], (_, value) => (typeof value === 'bigint' ? `${value}` : value));
}

function shuffled<Value>(values: readonly Value[], seed: number): Value[] {
  return values
    .map((value, i) => [Math.imul(i + 1, seed * 2 + 0x9e3779b1) >>> 0, value] as const)
    .sort((a, b) => a[0] - b[0])
    .map(([, value]) => value);
}

describe('laws', () => {
  test('a merge has the samples and the sums of a naive one', () => {
    for (let seed = 0; seed < 60; seed++) {
      const profiles = family(seed, 4);
      const result = merged(profiles);
      const sums = new Map(
        Array.from({ length: result.samples.length }, (_, row) => [
          sampleKey(result, row),
          result.samples.values[row]!,
        ]),
      );
      assert.equal(sums.size, result.samples.length, 'samples are distinct');
      assert.deepEqual(new Map([...sums].sort()), new Map([...naive(profiles)].sort()), `seed ${seed}`);
    }
  });

  test('neither the order of arrival nor the grouping shows, not even through bytes', () => {
    for (let seed = 0; seed < 60; seed++) {
      const profiles = family(seed, 6);
      const expected = text(merged(profiles));
      for (let round = 1; round < 4; round++) {
        const order = shuffled(profiles, seed + round);
        const parts = [order.slice(0, round), order.slice(round, 4), order.slice(4)].map(stateOf);
        const [a, b, c] = parts.map((part) => decodeMerge(encodeMerge(part).map((bytes) => structuredClone(bytes))));
        const grouped =
          round % 2 === 0 ? combineMerges(combineMerges(a!, b!), c!) : combineMerges(a!, combineMerges(c!, b!));
        assert.equal(text(finishMerge(grouped).profile), expected, `seed ${seed}, round ${round}`);
      }
    }
  });

  test('merging the result again changes nothing', () => {
    for (let seed = 0; seed < 30; seed++) {
      const once = merged(family(seed, 3));
      assert.equal(text(merged([once])), text(once), `seed ${seed}`);
    }
  });

  test('stacks stay what they are when their locations get more than 16 bits number', () => {
    // Of any two profiles it is 54,000 locations at most, of three more than 65,536. The last one's stacks are there since before that.
    const profiles = [0, 1, 2, 3, 0].map((i) => deep(24_000 * i, 27_000));
    const expected = merged(profiles);
    const sums = Array.from({ length: expected.samples.length }, (_, row) => [
      sampleKey(expected, row),
      expected.samples.values[row]!,
    ]);
    assert.deepEqual(new Map(sums as [string, bigint][]), naive(profiles));
    assert.equal(sums.length, naive(profiles).size);
    for (const cut of [1, 2, 3, 4]) {
      const [a, b] = [profiles.slice(0, cut), profiles.slice(cut)].map(stateOf);
      const combined = combineMerges(a!, decodeMerge(encodeMerge(b!)));
      assert.equal(
        text(finishMerge(decodeMerge(encodeMerge(combined))).profile),
        text(expected),
        `${cut} and the others`,
      );
    }
  });

  test('an empty merge is neutral', () => {
    const profiles = family(1, 3);
    assert.equal(text(finishMerge(combineMerges(new MergeState(), stateOf(profiles))).profile), text(merged(profiles)));
    assert.equal(finishMerge(new MergeState()).profile.samples.length, 0);
  });
});

/** Stacks of 0 to 199 frames, in turn, through `count` locations without lines. */
function deep(first: number, count: number): Profile {
  const builder = new ProfileBuilder({ sampleTypes: [{ type: 'samples', unit: 'count' }] });
  const rows = Array.from({ length: count }, (_, i) => builder.addLocation({ address: BigInt(first + i) }));
  for (let at = 0, depth = 0; at < count; at += depth, depth = (depth + 1) % 200) {
    builder.addSample({ stack: rows.slice(at, at + depth), values: [BigInt(first + at + 1)] });
  }
  return builder.finish();
}

interface Spec {
  readonly time?: bigint;
  readonly value?: bigint;
  readonly start?: bigint;
  readonly address?: bigint;
  readonly stack?: string;
  readonly header?: Partial<Profile>;
  readonly unit?: string;
}

/** One sample in one mapping of 8 KiB. */
function simple({
  time = 0n,
  value = 1n,
  start = 0x1000n,
  address = start + 0x10n,
  stack = 'main',
  header,
  unit = 'count',
}: Spec): Profile {
  const builder = new ProfileBuilder({ sampleTypes: [{ type: 'samples', unit }] });
  const mapping = builder.mapping({
    memoryStart: start,
    memoryLimit: BigInt.asUintN(64, start + 0x2000n),
    fileOffset: 0n,
    filename: 'app',
    buildId: 'b1',
  });
  const fn = builder.function({ name: stack, systemName: stack, filename: 'a.go', startLine: 0n });
  const location = builder.location({ mapping, address, lines: [{ function: fn, line: 1n }] });
  builder.addSample({ stack: [location], values: [value] });
  return { ...builder.finish(), timeNanos: time, ...header };
}

describe('headers', () => {
  test('time is the earliest that is not 0, duration the sum, period the largest', () => {
    const result = merged([
      simple({ time: 5n, header: { durationNanos: 10n, period: 3n } }),
      simple({ time: 0n, header: { durationNanos: 20n, period: 7n } }),
      simple({ time: 9n, header: { durationNanos: 30n, period: 5n } }),
    ]);
    assert.deepEqual([result.timeNanos, result.durationNanos, result.period], [5n, 60n, 7n]);
  });

  test('mapping addresses and locations are those of the earliest profile, whenever it arrives', () => {
    const late = simple({ time: 9n, start: 0x7000n });
    const early = simple({ time: 5n, start: 0x3000n });
    for (const order of [
      [late, early],
      [early, late],
    ]) {
      const result = merged(order);
      assert.equal(result.samples.values[0], 2n);
      assert.equal(result.mappings.memoryStart[0], 0x3000n);
      assert.equal(result.locations.address[0], 0x3010n);
    }
  });

  test('addresses are exact where mapping and location cross 2^32 and 2^64', () => {
    const start = 0xffff_ffff_ffff_f000n;
    const a = simple({ time: 1n, start, address: 0x10n });
    const b = simple({ time: 2n, start: 0xffff_f000n, address: 0x1_0000_0010n });
    const result = merged([b, a]);
    assert.equal(result.samples.length, 1);
    assert.equal(result.locations.address[0], 0x10n);
  });

  test("frame patterns are the first profile's, even if empty, and others are counted", () => {
    const first = simple({ time: 1n });
    const second = simple({ time: 2n, header: { dropFrames: 1 } });
    const { profile, notes } = finishMerge(stateOf([second, first]));
    assert.equal(profile.dropFrames, 0);
    assert.equal(notes.otherFramePatterns, 1);
  });

  test('comments are a set, in the order of their bytes', () => {
    const with3 = { ...simple({}), comments: Uint32Array.of(3, 2, 3) };
    const result = merged([with3]);
    const comments = Array.from(result.comments, (row) => stringAt(result.strings, row));
    assert.equal(comments.length, 2);
    assert.deepEqual(comments, [...comments].sort());
  });
});

describe('sums', () => {
  const max = 2n ** 63n - 1n;

  test('beyond int64 they are an error, never wrapped', () => {
    for (const values of [
      [max, 1n],
      [-max, -2n],
      [max, max, max],
    ]) {
      const profiles = values.map((value, i) => simple({ value, time: BigInt(i + 1) }));
      assert.throws(
        () => merged(profiles),
        (error: unknown) => error instanceof FormatError && error.code === 'E_OVERFLOW',
      );
    }
    const long = [
      simple({ time: 1n, header: { durationNanos: max } }),
      simple({ time: 2n, header: { durationNanos: 1n } }),
    ];
    assert.throws(
      () => merged(long),
      (error: unknown) => error instanceof FormatError && error.code === 'E_OVERFLOW',
    );
  });

  test('that leave the range on the way and come back are exact, in any order and grouping', () => {
    const values = [max, 5n, -max, -3n, max, -7n];
    for (let seed = 0; seed < 20; seed++) {
      const profiles = shuffled(values, seed).map((value, i) => simple({ value, time: BigInt(i + 1) }));
      assert.equal(merged(profiles).samples.values[0], max - 5n);
      const [a, b] = [stateOf(profiles.slice(0, 3)), stateOf(profiles.slice(3))];
      assert.equal(finishMerge(combineMerges(a, b)).profile.samples.values[0], max - 5n);
    }
  });

  test('of 0 are left out, with what only they used', () => {
    const result = merged([
      simple({ value: 5n, stack: 'gone', time: 1n }),
      simple({ value: -5n, stack: 'gone', time: 2n }),
      simple({ value: 0n, stack: 'never', time: 3n }),
      simple({ value: 1n, stack: 'stays', time: 4n }),
    ]);
    assert.equal(result.samples.length, 1);
    assert.equal(result.functions.length, 1);
    assert.equal(stringAt(result.strings, result.functions.name[0]!), 'stays');
  });
});

test('profiles of other types are refused by name, and the merge stays as it was', () => {
  const state = stateOf([simple({})]);
  const other = simple({ unit: 'bytes' });
  assert.throws(
    () => addProfile(state, other, { uri: 'heap.pb.gz', digest: digestOf(other) }),
    (error: unknown) =>
      error instanceof FormatError &&
      error.code === 'E_INCOMPATIBLE' &&
      error.message === 'sample types differ: 0 has samples/count, heap.pb.gz has samples/bytes',
  );
  assert.equal(text(finishMerge(state).profile), text(merged([simple({})])));
});
