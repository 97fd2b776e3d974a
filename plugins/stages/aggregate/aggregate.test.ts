import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  type Aggregate,
  type CreateContext,
  defaultLimits,
  FormatError,
  type Profile,
  ProfileBuilder,
} from '../../../core/index.js';
import type { AggregateOptions } from '../../../schemas/gen/options/aggregate.js';
import { aggregate } from './index.js';
import type { AggregatePartial } from './partial.js';

const defaults: Omit<AggregateOptions, 'periods'> = {
  by: [],
  sample_types: 'strict',
  granularity: 'addresses',
  durations: 'sum',
  clock: 'profile',
  lateness: '0s',
  late: 'add',
  memory: '512MiB',
};

const counts: Record<string, number> = {};
const context = {
  limits: defaultLimits,
  signal: new AbortController().signal,
  count: (counter: string, amount = 1) => {
    counts[counter] = (counts[counter] ?? 0) + amount;
  },
  warn: () => {},
};
const create = async (periods: 'largest' | 'refuse') =>
  (await aggregate.create({ ...defaults, periods }, {
    ...context,
  } as unknown as CreateContext)) as Aggregate<AggregatePartial>;
const item = (index: number) => ({ index, name: 'p', uri: `${index}.pb.gz`, digest: new Uint8Array(32).fill(index) });

function profile(period: bigint, header: Partial<Profile> = {}): Profile {
  const builder = new ProfileBuilder({ sampleTypes: [{ type: 'samples', unit: 'count' }] });
  builder.addSample({ stack: [], values: [1] });
  return { ...builder.finish(), period, ...header };
}

test('sums equal samples, and takes the largest period', async () => {
  const merging = await create('largest');
  const state = merging.add(merging.add(merging.empty(), profile(5n), item(0)), profile(7n), item(1));
  const result = merging.finish(merging.decode(merging.encode(state)), context);
  assert.deepEqual([result.samples.length, result.samples.values[0], result.period], [1, 2n, 7n]);
});

test('refuses another period where it is told to, in a profile and in a partial', async () => {
  const merging = await create('refuse');
  const state = merging.add(merging.empty(), profile(5n), item(0));
  const other = merging.add(merging.empty(), profile(7n), item(1));
  const refused = (error: unknown) =>
    error instanceof FormatError &&
    error.code === 'E_INCOMPATIBLE' &&
    error.message === 'periods differ: 0.pb.gz has 5, 1.pb.gz has 7';
  assert.throws(() => merging.add(state, profile(7n), item(1)), refused);
  assert.throws(() => merging.merge(state, other), refused);
  assert.equal(merging.finish(state, context).samples.values[0], 1n);
});

test('counts what is not in the result', async () => {
  const merging = await create('largest');
  const unknown = {
    length: 1,
    message: Uint8Array.of(0),
    row: Uint32Array.of(0),
    starts: Uint32Array.of(0, 3),
    bytes: Uint8Array.of(0xa0, 6, 1),
  };
  const state = merging.add(merging.empty(), profile(5n), item(0));
  merging.finish(merging.add(state, profile(5n, { dropFrames: 1, unknown }), item(1)), context);
  assert.deepEqual(counts, { other_frame_patterns: 1, profiles_with_unknown_fields: 1 });
});
