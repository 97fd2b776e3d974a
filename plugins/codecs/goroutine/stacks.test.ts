import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  Budget,
  checkProfile,
  defaultLimits,
  FormatError,
  type ItemContext,
  openInput,
  stringAt,
} from '../../../core/index.js';
import type { GoroutineOptions } from '../../../schemas/gen/options/goroutine.js';
import { stacksOf } from '../../../test/helpers/profiles.js';
import { decodeProfile } from './decode.js';

async function decode(text: string, period: GoroutineOptions['contention_period'] = 'multiply') {
  const warnings: string[] = [];
  const context = {
    limits: defaultLimits,
    warn: (code: string) => warnings.push(code),
    count() {},
  } as unknown as ItemContext;
  const options = { labels: [], merge: true, contention_period: period };
  const profile = await decodeProfile(openInput(Buffer.from(text), new Budget()), options, context);
  assert.deepEqual(checkProfile(profile), []);
  const types = profile.sampleTypes.map(
    ({ type, unit }) => `${stringAt(profile.strings, type)}/${stringAt(profile.strings, unit)}`,
  );
  return { profile, warnings, types: types.join(' '), stacks: stacksOf(profile) };
}

async function refused(text: string): Promise<string> {
  try {
    await decode(text);
  } catch (error) {
    assert.ok(error instanceof FormatError, String(error));
    return `${error.code} ${error.describe()}`;
  }
  return assert.fail('a FormatError expected');
}

const heap = `heap profile: 3: 1536 [6: 3072] @ heap/2048
2: 1024 [4: 2048] @ 0x40b123 0x4a1f3c 0x43a0e7 0x48d481
#	0x4a1f3b	main.keep+0x7b		/src/main.go:12
#	0x43a0e6	runtime.main+0x206	/go/src/runtime/proc.go:250

0: 0 [1: 512] @ 0x40b123 0x4a1f7c 0x43a0e7 0x48d481
#	0x4a1f7b	main.drop+0x3b		/src/main.go:15
#	0x43a0e6	runtime.main+0x206	/go/src/runtime/proc.go:250

1: 512 [1: 512] @ 0x43bf91 0x43ca55
#	0x43bf90	runtime.allocm+0x90	/go/src/runtime/proc.go:1772
#	0x43ca54	runtime.newm+0x34	/go/src/runtime/proc.go:2094


# runtime.MemStats
# Alloc = 175632
# Stack = 1 / 2
`;

// 1 / (1 − e^(−512/1024)) = 2.5414940825…
test('what was sampled of the heap becomes what it stands for, without the runtime at the leaf', async () => {
  const { profile, types, stacks, warnings } = await decode(heap);
  assert.equal(types, 'alloc_objects/count alloc_space/bytes inuse_objects/count inuse_space/bytes');
  assert.deepEqual(stacks, [
    'runtime.main;main.keep 10 5204 5 2602 {bytes=512}',
    'runtime.main;main.drop 2 1301 0 0 {bytes=512}',
    'runtime.newm;runtime.allocm 2 1301 2 1301 {bytes=512}',
  ]);
  assert.equal(profile.period, 1024n);
  assert.deepEqual(warnings, []);
});

test('a heap whose totals are equal has two columns, one of rate 1 is taken as it is', async () => {
  const { types, stacks } = await decode('heap profile: 2: 64 [2: 64] @ heap/2\n2: 64 [2: 64] @ 0x2\n');
  assert.equal(types, 'objects/count space/bytes');
  assert.deepEqual(stacks, [' 2 64 {bytes=32}']);
});

const mutex = `--- mutex:
cycles/second=2500000000
sampling period=5
1000 20 @ 0x4a1f3c 0x46cee1
#	0x4a1f3b	sync.(*Mutex).Unlock+0x7b	/go/src/sync/mutex.go:190
#	0x46cee0	main.work+0x20			/src/main.go:7

7 5 @ 0x4a1f3c 0x46cee1
#	0x4a1f3b	sync.(*Mutex).Unlock+0x7b	/go/src/sync/mutex.go:190
#	0x46cee0	main.work+0x20			/src/main.go:7

`;

test('cycles become nanoseconds, times the sampling period, and a period that counts twice is said', async () => {
  const { profile, types, stacks, warnings } = await decode(mutex);
  assert.equal(types, 'contentions/count delay/nanoseconds');
  assert.deepEqual(stacks, ['main.work;sync.(*Mutex).Unlock 100 2000', 'main.work;sync.(*Mutex).Unlock 25 14']);
  assert.equal(profile.period, 5n);
  assert.deepEqual(warnings, ['period_twice']);

  const applied = await decode(mutex, 'applied');
  assert.deepEqual(applied.stacks, ['main.work;sync.(*Mutex).Unlock 20 400', 'main.work;sync.(*Mutex).Unlock 5 2']);
  assert.equal(applied.profile.period, 1n);
  assert.deepEqual(applied.warnings, []);

  const sampled = await decode(mutex.replace('7 5 @', '7 6 @'));
  assert.deepEqual(sampled.warnings, []);
});

test('without cycles a second, or with a period of 0, delays are taken as they are', async () => {
  const first = async (text: string) => (await decode(text)).stacks[0];
  assert.equal(await first(mutex.replace(/cycles.*\n/, '')), 'main.work;sync.(*Mutex).Unlock 100 1000');
  assert.equal(await first(mutex.replace('period=5', 'period=0')), 'main.work;sync.(*Mutex).Unlock 20 1000');
  assert.deepEqual((await decode('--- contention:\ncycles/second=1\n')).stacks, []);
});

test('a heap that breaks off says what is missing', async () => {
  const text = heap.slice(0, heap.indexOf('\n1: 512') + 1);
  assert.deepEqual((await decode(text)).warnings, ['objects_cut']);
  assert.deepEqual((await decode(`${text}1: 512 [1: 5`)).warnings, ['text_cut', 'objects_cut']);
  assert.deepEqual((await decode(heap.slice(0, -3))).warnings, []);
});

test('what is no line of a heap or of waiting is refused with its line', async () => {
  const wanted = 'E_GOROUTINE_TEXT line 2: "N: BYTES [N: BYTES] @ 0xADDRESS…" wanted';
  assert.match(await refused(heap.replace('2: 1024 [', '2: x [')), new RegExp(`^${wanted.replaceAll('[', '\\[')}`));
  assert.match(await refused(heap.replace('2: 1024 [', '0: 1024 [')), /line 2: objects where there are bytes wanted/);
  assert.match(await refused(heap.replace('[1: 512] @ 0x43', '[1: 512] 0x43')), /^E_GOROUTINE_TEXT line 10:/);
  const large = `heap profile: 0: 0 [9: 9] @ heap/999999999999999999\n0: 0 [999999999999999: 9] @ 0x1\n`;
  assert.match(await refused(large), /^E_OVERFLOW line 2: the value is beyond 64 bits/);
  assert.match(await refused(mutex.replace('cycles/', 'cycle/')), /^E_GOROUTINE_TEXT line 2: "cycles\/second=N"/);
  assert.match(await refused(mutex.replace('7 5 @', '7 @')), /^E_GOROUTINE_TEXT line 8: "CYCLES N @/);
  assert.match(await refused(mutex.replace('\n1000', '\nformat=1\n1000')), /^E_GOROUTINE_TEXT line 4:/);
});

test('zeros that fill a stack up are none of it', async () => {
  const text = `threadcreate profile: total 3
2 @ 0x0 0x0
#	0x0

1 @ 0x44e5c5 0x4e0553 0x483b21 0x0 0x0
#	0x4e0552	main.locked+0x2	/src/main.go:4

`;
  assert.deepEqual((await decode(text)).stacks, [' 2', 'main.locked;0x44e5c4 1']);
});
