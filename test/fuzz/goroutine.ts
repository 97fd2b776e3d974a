/** Whatever the text, the goroutine codec gives a valid profile of no more samples than it has lines, or throws FormatError. */

import { Budget, checkProfile, defaultLimits, FormatError, type ItemContext, openInput } from '../../core/index.js';
import { decodeProfile } from '../../plugins/codecs/goroutine/decode.js';
import { fuzz } from './mutate.js';

const tracebacks = `panic: kept waiting [recovered]

goroutine 1 gp=0xc000002380 m=3 mp=0xc000060008 [running, locked to thread] {kind: labelled, shard: "b \\u00e9\\x01"}:
runtime/pprof.writeGoroutineStacks({0x685cf0, 0x13a73e7840f0})
	/go/src/runtime/pprof/pprof.go:816 +0x69 fp=0xc0 sp=0xb0 pc=0x4a
main.main()
	/src/main.go:118 +0x84f

goroutine 26 [chan receive (nil chan), 5 minutes, synctest bubble 3]:
main.innermost(...)
	/src/main.go:28
panic({0x668378?, 0x533a10?})
	/go/src/runtime/panic.go:859 +0x125
...201 frames elided...
non-Go function at pc=0x7f3000
main.hold[...](0x0?)
	/src/extra.go:10 +0x25
created by main.main in goroutine 1
	/src/main.go:82 +0x250
[originating from goroutine 1]:
main.main(...)
	/src/main.go:7 +0x9

goroutine 27 [syscall]:
sleep_in_c
	/src/sleep.c:7 pc=0x7f2000

rax    0x0
exit status 2
`;

const counts = `goroutine profile: total 8
5 @ 0x486daa 0x4176ce 0x525005 0x525006 0x52500b 0x48d481
# labels: {"kind":"labelled", "shard":"\\"a\\"\\n\\xff"}
#	0x525004	main.innermost+0x24	/src/main.go:28
#	0x525005	main.middle+0x25		/src/main.go:29
#	0x52500a	main.parkInlined+0x2a	/src/main.go:32

2 @ 0x486daa 0x52507c 0x52507c 0x52507c 0x48d481
#	0x52507b	main.recurse+0x3b	/src/main.go:39
#	0x52507b	main.recurse+0x3b	/src/main.go:39
#	0x52507b	main.recurse+0x3b	/src/main.go:39

1 @ 0x48d481

`;

const heap = `heap profile: 3: 49408 [5: 65792] @ heap/1048576
1: 32768 [2: 65536] @ 0x40b123 0x4a1f3c 0x4a1ea5 0x43a0e7 0x48d481
#	0x4a1f3b	main.keep+0x7b	/src/main.go:12
#	0x4a1ea4	main.main+0x24	/src/main.go:30
#	0x43a0e6	runtime.main+0x206	/go/src/runtime/proc.go:250

0: 0 [3: 256] @ 0x4a1fff
#	0x4a1ffe

# runtime.MemStats
# Alloc = 175632
`;

const contention = `--- mutex:
cycles/second=2194850121
sampling period=5
41820145 20 @ 0x4a1f3c 0x46cee1
#	0x4a1f3b	sync.(*Mutex).Unlock+0x7b	/go/src/sync/mutex.go:190

`;

const context = { limits: defaultLimits, warn() {}, count() {} } as unknown as ItemContext;

await fuzz({
  name: 'goroutine',
  seeds: [tracebacks, counts, heap, contention].map((text) => ({ bytes: Buffer.from(text) })),
  async run(bytes) {
    const options = {
      labels: ['state', 'wait_minutes', 'goroutine', 'creator'],
      merge: bytes.length % 2 === 0,
      contention_period: bytes.length % 3 === 0 ? 'applied' : 'multiply',
    } as const;
    const input = openInput(bytes, new Budget());
    const profile = await decodeProfile(input, { ...options, labels: [...options.labels] }, context);
    const problems = checkProfile(profile);
    if (problems.length > 0) throw new Error(problems.join('\n'));
    const shown = Buffer.from(bytes).toString().split('\n').length;
    if (profile.samples.length > shown) throw new Error(`${profile.samples.length} samples from ${shown} lines`);
  },
  isAllowed: (error) => error instanceof FormatError,
  maxMs: 1_000,
});
