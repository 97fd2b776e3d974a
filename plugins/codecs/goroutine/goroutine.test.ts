import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  Budget,
  checkProfile,
  defaultLimits,
  FormatError,
  gzip,
  type ItemContext,
  type Limits,
  openInput,
  type Profile,
  stringAt,
} from '../../../core/index.js';
import { profileText } from '../../../core/profile/figures/text.js';
import type { GoroutineOptions } from '../../../schemas/gen/options/goroutine.js';
import { stacksOf } from '../../../test/helpers/profiles.js';
import { decodeProfile } from './decode.js';
import { goroutineCodec } from './index.js';

interface Decoded {
  readonly profile: Profile;
  readonly warnings: readonly string[];
  readonly counts: { readonly [counter: string]: number };
}

const defaults: GoroutineOptions = {
  labels: ['state', 'wait_minutes', 'locked', 'created_by'],
  merge: true,
  contention_period: 'multiply',
};

async function decode(
  text: string | Uint8Array,
  options: Partial<GoroutineOptions> = {},
  limits: Partial<Limits> = {},
): Promise<Decoded> {
  const warnings: string[] = [];
  const counts: { [counter: string]: number } = {};
  const context = {
    limits: { ...defaultLimits, ...limits },
    warn: (code: string, message: string) => warnings.push(`${code}: ${message}`),
    count: (counter: string, amount = 1) => {
      counts[counter] = amount;
    },
  } as unknown as ItemContext;
  const input = openInput(Buffer.from(text), new Budget(limits));
  const profile = await decodeProfile(input, { ...defaults, ...options }, context);
  assert.deepEqual(checkProfile(profile), []);
  return { profile, warnings, counts };
}

const stacks = async (text: string, options?: Partial<GoroutineOptions>) =>
  stacksOf((await decode(text, options)).profile);

const textOf = (profile: Profile): string => [...profileText(profile)].join('\n');

/** `0x24 main.inner a.go:28 < main.park a.go:32`, innermost first, of the locations in their order. */
const locations = (profile: Profile): string[] =>
  textOf(profile)
    .split('\n')
    .flatMap((line) => /^location \d+: (.*)$/.exec(line)?.[1] ?? []);

async function refused(text: string | Uint8Array, limits: Partial<Limits> = {}): Promise<string> {
  try {
    await decode(text, {}, limits);
  } catch (error) {
    assert.ok(error instanceof FormatError, String(error));
    return `${error.code} ${error.describe()}`;
  }
  return assert.fail('a FormatError expected');
}

const traceback = `goroutine 1 [running]:
main.main()
	/src/main.go:118 +0x84f

goroutine 25 [chan receive, 5 minutes, locked to thread]:
main.inner(...)
	/src/main.go:28
main.middle(...)
	/src/main.go:29
main.park(0xc000012345?, {0x1, 0x2})
	/src/main.go:32 +0x25
created by main.main in goroutine 1
	/src/main.go:82 +0x250
`;

test('a traceback gives a sample with inlined calls in one location, at the offset of the call', async () => {
  const { profile, warnings } = await decode(traceback);
  assert.deepEqual(stacksOf(profile), [
    'main.main 1 {state=running}',
    'main.park>main.middle>main.inner 1 {state=chan receive wait_minutes=5:minutes locked=thread created_by=main.main}',
  ]);
  assert.deepEqual(locations(profile), [
    '0x84e main.main /src/main.go:118',
    '0x24 main.inner /src/main.go:28 < main.middle /src/main.go:29 < main.park /src/main.go:32',
  ]);
  assert.equal(profile.mappings.length, 0);
  assert.deepEqual(warnings, []);
});

test('goroutines with the same stack and labels are one sample, unless they are to stay apart', async () => {
  const twin = (goroutine: number, state = 'select') =>
    `goroutine ${goroutine} [${state}]:\nmain.f(0xc00${goroutine}?)\n\t/a.go:1 +0x9\n\n`;
  const text = twin(5) + twin(6) + twin(7, 'IO wait') + twin(8);
  assert.deepEqual(await stacks(text), ['main.f 3 {state=select}', 'main.f 1 {state=IO wait}']);
  assert.deepEqual(await stacks(text, { labels: [] }), ['main.f 4']);
  assert.equal((await stacks(text, { merge: false })).length, 4);
  assert.deepEqual(await stacks(text, { labels: ['goroutine'] }), [
    'main.f 1 {goroutine=5}',
    'main.f 1 {goroutine=6}',
    'main.f 1 {goroutine=7}',
    'main.f 1 {goroutine=8}',
  ]);
});

test('headers of all Go versions are read', async () => {
  const labelsOf = async (header: string) => {
    const text = `${header}:\nmain.f()\n\t/a.go:1 +0x9\ncreated by main.main in goroutine 33\n\t/a.go:2 +0x1\n`;
    const all = ['state', 'wait_minutes', 'locked', 'goroutine', 'creator', 'synctest_bubble'] as const;
    return /\{(.*)\}/s.exec((await stacks(text, { labels: [...all] }))[0]!)?.[1];
  };
  assert.equal(await labelsOf('goroutine 7 [runnable]'), 'state=runnable goroutine=7 creator=33');
  assert.equal(
    await labelsOf('goroutine 7 gp=0xc000002380 m=3 mp=0xc000060008 [GC worker (idle) (scan), 1 minutes]'),
    'state=GC worker (idle) wait_minutes=1:minutes goroutine=7 creator=33',
  );
  assert.equal(
    await labelsOf('goroutine 7 gp=0xc000002380 m=nil [chan receive (nil chan) (leaked)]'),
    'state=chan receive (nil chan) (leaked) goroutine=7 creator=33',
  );
  assert.equal(
    await labelsOf('goroutine 7 [sync.WaitGroup.Wait (durable), 3 minutes, locked to thread, synctest bubble 2]'),
    'state=sync.WaitGroup.Wait (durable) wait_minutes=3:minutes locked=thread goroutine=7 creator=33 synctest_bubble=2',
  );
  assert.equal(
    await labelsOf('goroutine 7 [select] {kind: labelled, shard: "b: \\"c\\", \\u00e9\\x01\\xff\\U0001f600"}'),
    'kind=labelled shard=b: "c", é\u0001\ufffd😀 state=select goroutine=7 creator=33',
  );
});

test('frames that are left out, are C, or have no offset stay what they are', async () => {
  const { profile } = await decode(`goroutine 7 [syscall]:
non-Go function
	pc=0x7f1000
sleep_in_c
	/src/sleep.c:7 pc=0x7f2000
non-Go function at pc=7f
runtime.cgocall(0x1, 0x2)
	/go/runtime/cgocall.go:167 +0x4b
`).catch((error: FormatError) => ({ profile: error.describe() as unknown as Profile }));
  assert.equal(profile, 'line 6: an address wanted (got "non-Go function at pc=7f")');
  const { profile: whole } = await decode(`goroutine 7 [runnable]:
non-Go function
	pc=0x7f1000
sleep_in_c
	/src/sleep.c:7 pc=0x7f2000
non-Go function at pc=0x7f3000
panic({0x668378?, 0x533a10?})
	/go/src/runtime/panic.go:859 +0x125
...201 frames elided...
main.(*server).loop(...)
	/src/main.go:25
...additional frames elided...
main.pair[...].hold(0x1)
	/my src/main:1.go:26 +0x24 fp=0xc0 sp=0xb0 pc=0x4a
main.start(0x7)
	/src/main.go:24
`);
  assert.deepEqual(stacksOf(whole), [
    'main.start;main.pair[...].hold;[elided];main.(*server).loop;[elided];runtime.gopanic;0x7f3000;sleep_in_c;0x7f1000 1 ' +
      '{state=runnable elided_frames=201}',
  ]);
  assert.deepEqual(locations(whole), [
    '0x7f1000',
    '0x7f2000 sleep_in_c /src/sleep.c:7',
    '0x7f3000',
    '0x124 runtime.gopanic /go/src/runtime/panic.go:859',
    '0x0 [elided] "":0',
    '0x0 main.(*server).loop /src/main.go:25',
    '0x23 main.pair[...].hold "/my src/main:1.go":26',
    '0x0 main.start /src/main.go:24',
  ]);
});

test("what is no goroutine's of the dump is passed over", async () => {
  const text = `2026/11/21 09:00:00 some log line
panic: runtime error: index out of range [recovered]
	panic: again

[signal SIGSEGV: segmentation violation code=0x1 addr=0x0 pc=0x4a]

runtime stack:
runtime.throw({0x1, 0x2})
	/go/runtime/panic.go:1 +0x1 fp=0x1 sp=0x2 pc=0x3

goroutine 1 [running]:
	goroutine running on other thread; stack unavailable
created by main.main
	/a.go:2 +0x1
[originating from goroutine 1]:
main.main(...)
	/a.go:7 +0x9

runtime stack:
anything

goroutine 2 [sleep]:
main.f()
	/a.go:1 +0x9
exit status 2
`;
  const trailer = text.replace('exit status 2', '\nrax    0x0\nrip    0x45d\n\nFAIL\tpkg\t0.1s\nexit status 2');
  const wanted = [' 1 {state=running created_by=main.main}', 'main.f 1 {state=sleep}'];
  assert.deepEqual(await stacks(trailer), wanted);
});

const counted = `goroutine profile: total 8
5 @ 0x1001 0x2002 0x3016 0x3017 0x300b 0x9001
# labels: {"kind":"labelled", "shard":"a\\tb"}
#	0x3015	main.inner+0x15	/src/main.go:28
#	0x3016	main.middle+0x16		/src/main.go:29
#	0x300a	main.park+0xa	/src/main.go:32

2 @ 0x1001 0x4011 0x4011 0x4006 0x4011 0x9001
#	0x4010	main.leaf+0x10	/src/main.go:40
#	0x4010	main.twig+0x10	/src/main.go:45
#	0x4005	main.recurse+0x5	/src/main.go:50
#	0x4010	main.recurse+0x10	/src/main.go:51

1 @ 0x9001

`;

test('counted stacks become locations at the address of the call, named by the lines below', async () => {
  const { profile, warnings, counts } = await decode(counted);
  assert.deepEqual(locations(profile), [
    '0x1000',
    '0x2001',
    '0x3015 main.inner /src/main.go:28 < main.middle /src/main.go:29 < main.park /src/main.go:32',
    '0x4010 main.leaf /src/main.go:40 < main.twig /src/main.go:45 < main.recurse /src/main.go:50',
    '0x4010 main.recurse /src/main.go:51',
  ]);
  assert.deepEqual(stacksOf(profile), [
    'main.park>main.middle>main.inner;0x2001;0x1000 5 {kind=labelled shard=a\tb}',
    'main.recurse;main.recurse>main.twig>main.leaf;0x1000 2',
    ' 1',
  ]);
  assert.deepEqual([warnings, counts], [[], {}]);
});

test('any profile that counts stacks gives its name to the sample type', async () => {
  const { profile } = await decode('threadcreate profile: total 3\n2 @\n#\t0x0\n\n1 @ 0x0 0x1235\n#\t0x1234\n');
  assert.equal(stringAt(profile.strings, profile.sampleTypes[0]!.type), 'threadcreate');
  assert.equal(stringAt(profile.strings, profile.periodType!.unit), 'count');
  assert.deepEqual(stacksOf(profile), [' 2', '0x1234;0x0 1']);
});

test('CRLF, a byte order mark and gzip make no difference', async () => {
  for (const text of [traceback, counted]) {
    const wanted = textOf((await decode(text)).profile);
    const marked = Buffer.from(`\ufeff${text.replaceAll('\n', '\r\n')}`);
    assert.equal(textOf((await decode(marked)).profile), wanted);
    assert.equal(textOf((await decode(Buffer.concat(await gzip([marked], 1)))).profile), wanted);
    assert.ok((goroutineCodec.detect?.(marked) ?? 0) > 0.5);
  }
  const wide = Buffer.from(`\ufeff${traceback}`, 'utf16le');
  assert.equal(goroutineCodec.detect?.(wide), 0.7);
  assert.equal(await refused(wide), 'E_UTF8 line 1: text is UTF-16, UTF-8 wanted');
});

test('the form is told by the bytes', () => {
  const detect = (text: string) => goroutineCodec.detect?.(Buffer.from(text));
  assert.equal(detect(counted.slice(0, 100)), 1);
  assert.equal(detect('goroutineleak profile: total 0\n'), 1);
  assert.equal(detect(traceback), 0.7);
  assert.equal(detect(`panic: kept\n\n${traceback}`), 0.7);
  assert.equal(detect('heap profile: 1: 2 [3: 4] @ heap/1\n'), 1);
  assert.equal(detect('--- mutex:\ncycles/second=1\n'), 1);
  assert.equal(detect('heap profile: 1: 2 [3: 4] @ heap_v2/1\n'), 0);
  assert.equal(detect('--- contentionz 1 ---\n'), 0);
  assert.equal(detect('goroutines are cheap\n'), 0);
  assert.equal(detect('{"goroutine 1 [x]:": 1}'), 0);
});

test('a text that breaks off keeps what is whole, and says where it does', async () => {
  for (const text of [traceback, counted]) {
    const { profile: whole } = await decode(text);
    const total = (profile: Profile) => profile.samples.values.reduce((sum, value) => sum + value, 0n);
    for (let end = text.indexOf('\n') + 1; end < text.length; end += 5) {
      const { profile, warnings } = await decode(text.slice(0, end)).catch((error: FormatError) => {
        throw new Error(`cut at ${end}: ${error.describe()}`);
      });
      assert.ok(total(profile) <= total(whole));
      // A cut behind a whole goroutine cannot be seen in tracebacks.
      if (text === counted && total(profile) < total(whole)) assert.notDeepEqual(warnings, [], `cut at ${end}`);
    }
  }
  const { warnings, counts, profile } = await decode(traceback.slice(0, traceback.indexOf('0x1, 0x2')));
  assert.deepEqual(warnings, [
    'text_cut: goroutine: the text breaks off in line 10: the goroutine was left out',
    'goroutines_cut: goroutine: goroutines that the text does not show whole: 1',
  ]);
  assert.deepEqual(counts, { goroutines_cut: 1 });
  assert.deepEqual(stacksOf(profile), ['main.main 1 {state=running}']);

  const short = await decode(counted.slice(0, counted.indexOf('\n2 @') + 10));
  assert.deepEqual(short.warnings, [
    'text_cut: goroutine: the text breaks off in line 8: the stack was left out',
    'goroutines_cut: goroutine: goroutines that the text does not show whole: 3',
  ]);
});

test('an offset that may go on is left out, its frame stays', async () => {
  const { profile, warnings } = await decode(traceback.slice(0, traceback.indexOf('84f') + 1));
  assert.deepEqual(locations(profile), ['0x0 main.main /src/main.go:118']);
  assert.deepEqual(warnings, ['text_cut: goroutine: the text breaks off in line 3: its offset was left out']);
});

test('what is neither is refused with its line', async () => {
  const inTraceback = (line: string) => refused(traceback.replace('main.park(0xc000012345?, {0x1, 0x2})', line));
  const header = '"goroutine N [state]:" wanted';
  assert.equal(
    await inTraceback('garbage'),
    'E_GOROUTINE_TEXT line 10: "function(arguments)" or "created by function" wanted (got "garbage")',
  );
  assert.equal(await inTraceback('a()\nb()'), 'E_GOROUTINE_TEXT line 11: "file:line" wanted (got "b()")');
  assert.equal(await inTraceback('a()\n\t/a.go'), 'E_GOROUTINE_TEXT line 11: "file:line" wanted (got "\\t/a.go")');
  assert.equal(await inTraceback('goroutine 7 [x'), `E_GOROUTINE_TEXT line 10: ${header} (got "goroutine 7 [x")`);
  assert.equal(
    await inTraceback('\ngoroutine 7 [x] {a}:'),
    `E_GOROUTINE_TEXT line 11: ${header} (got "goroutine 7 [x] {a}:")`,
  );
  assert.equal(
    await refused(`${traceback}\n\u001b[31mX\n`),
    `E_GOROUTINE_TEXT line 15: ${header} (got "\\u001b[31mX")`,
  );
  assert.equal(await refused('some log\n'), 'E_GOROUTINE_TEXT line 1: no "goroutine N [state]:" in the text');

  const inCounts = (from: string, to: string) => refused(counted.replace(from, to));
  assert.equal(
    await inCounts('2 @', '2x @'),
    'E_GOROUTINE_TEXT line 8: "N @ 0xADDRESS…" wanted ' + '(got "2x @ 0x1001 0x4011 0x4011 0x4006 0x4011 0x9001")',
  );
  assert.match(await inCounts('0x2002', '0x12345678901234567'), /^E_GOROUTINE_TEXT line 2: "N @/);
  assert.match(await inCounts('5 @', '99999999999999999999 @'), /^E_GOROUTINE_TEXT line 2: "N @/);
  assert.match(await inCounts('{"kind"', '{kind"'), /^E_GOROUTINE_TEXT line 3: a set of labels below a stack wanted/);
  assert.match(await inCounts('main.inner+0x15', 'main.inner'), /^E_GOROUTINE_TEXT line 4: "function\+0xOFFSET/);
  assert.match(await inCounts('#\t0x3015', '#\tx'), /^E_GOROUTINE_TEXT line 4: "# 0xADDRESS/);
});

test('limits hold, with the line', async () => {
  const deep = `goroutine 1 [running]:\n${'main.f(0x1)\n\t/a.go:1 +0x9\n'.repeat(20)}`;
  assert.equal(await refused(deep, { stackDepth: 10 }), 'E_LIMIT line 1: over the limit stackDepth (got 20, limit 10)');
  assert.equal(
    await refused(`${traceback}${'x'.repeat(3000)}`, { stringBytes: 2000 }),
    'E_LIMIT line 14: over the limit stringBytes (got 3000, limit 2000)',
  );
  assert.match(await refused(counted, { tableRows: 2 }), /^E_LIMIT line 14: over the limit tableRows/);
  assert.match(await refused(counted, { labelsPerSample: 1 }), /^E_LIMIT line 2: over the limit labelsPerSample/);
  const huge = `goroutine profile: total 1\n${'999999999999999999 @ 0x1 0x2\n\n'.repeat(10)}`;
  assert.match(await refused(huge), /^E_OVERFLOW line 20: values add up beyond 64 bits/);
});

test('bytes that are no UTF-8 are read as U+FFFD, and said', async () => {
  const { profile, warnings } = await decode(Buffer.from(traceback.replace('main.main()', 'main.\xff()'), 'latin1'));
  assert.equal(stacksOf(profile)[0], 'main.\ufffd 1 {state=running}');
  assert.deepEqual(warnings, ['invalid_utf8: goroutine: bytes that are no UTF-8 were read as U+FFFD']);
});
