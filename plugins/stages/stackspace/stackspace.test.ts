import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { createBinaryStore } from '../../../core/binary/file-store.js';
import {
  checkProfile,
  defaultLimits,
  type LabelSpec,
  type Limits,
  NO_ROW,
  type Profile,
  ProfileBuilder,
} from '../../../core/index.js';
import { testItem } from '../../../core/testing/context.js';
import type { StackspaceOptions } from '../../../schemas/gen/options/stackspace.js';
import { buildGoBinary, type FunctionSpec, type GoBinarySpec } from '../../../test/helpers/go-binary.js';
import { stacksOf } from '../../../test/helpers/profiles.js';
import { temporaryFolder, writeInto } from '../../../test/helpers/temporary.js';
import { FrameCache } from './frame-cache.js';
import type { StackspaceReport } from './report.js';
import { addStackSpace } from './stackspace.js';

/** `cmp rsp, [r14+16]` at the entry: the function looks at the room on its stack. */
const checking = (bytes: number) => Uint8Array.from([0x49, 0x3b, 0x66, 0x10, ...new Uint8Array(bytes - 4)]);

/** From 0x401100 on, 0x20 bytes each: a frame of so many bytes without the return address from the fourth byte on. */
const functions: GoBinarySpec['functions'] = [
  ...(
    [
      ['main.main', 24, true],
      ['main.work', 112, true],
      ['main.large', 2000, true],
      ['main.nosplit', 40, false],
      ['main.generic[go.shape.int]', 8, true],
    ] as const
  ).map(
    ([name, frame, isChecked]): FunctionSpec => ({
      name,
      file: '/src/main.go',
      lines: [[10, 0x20]],
      stackDeltas: [
        [0, 4],
        [frame, 0x1c],
      ],
      ...(isChecked ? { code: checking(0x20) } : {}),
    }),
  ),
  // main.inlined stands in it from the eighth byte on; its caller's place is the sixth.
  {
    name: 'main.inliner',
    file: '/src/main.go',
    lines: [[10, 0x20]],
    stackDeltas: [
      [0, 4],
      [56, 0x1c],
    ],
    pcdata: {
      2: [
        [-1, 8],
        [0, 8],
        [-1, 16],
      ],
    },
    inlineTree: [{ name: 'main.inlined', parentPc: 6 }],
  },
];

const [MAIN, WORK, LARGE, NOSPLIT, GENERIC] = [0x401108, 0x401128, 0x401148, 0x401168, 0x401188] as const;
const functionAt = new Map<number, string>([
  [MAIN, 'main.main'],
  [WORK, 'main.work'],
  [LARGE, 'main.large'],
  [NOSPLIT, 'main.nosplit'],
  [GENERIC, 'main.generic[...]'],
]);

interface Drawn {
  /** Addresses, root first. */
  readonly stack: readonly number[];
  readonly goroutines?: number;
  readonly labels?: readonly LabelSpec[];
}

interface Scene {
  readonly samples: readonly Drawn[];
  readonly options?: Partial<StackspaceOptions>;
  readonly sampleType?: string;
  /** As codecs of text give it: no mapping. */
  readonly isText?: true;
  readonly buildId?: string;
  readonly binary?: Partial<GoBinarySpec>;
  readonly index?: number;
  readonly limits?: Partial<Limits>;
  /** Names that differ from the binary's. */
  readonly names?: (address: number) => string | undefined;
}

interface Result {
  readonly before: Profile;
  readonly after: Profile;
  readonly stacks: readonly string[];
  readonly report: StackspaceReport | undefined;
  readonly counters: { readonly [name: string]: number };
  readonly warnings: readonly string[];
}

function run(t: TestContext, scene: Scene): Result {
  const { samples, options, sampleType = 'goroutine', buildId = 'abcd', index = 0 } = scene;
  const store = createBinaryStore();
  const { bytes } = buildGoBinary({ functions, gnuBuildId: 'abcd', ...scene.binary });
  store.add([writeInto(temporaryFolder(t), 'app', bytes)]);
  const builder = new ProfileBuilder({ sampleTypes: [{ type: sampleType, unit: 'count' }] });
  const mapping = scene.isText
    ? NO_ROW
    : builder.mapping({
        memoryStart: 0x401000,
        memoryLimit: 0x402000,
        fileOffset: 0x2000,
        filename: '/srv/app',
        buildId,
      });
  const names = scene.names ?? ((address) => functionAt.get(address));
  const locationOf = (address: number) => {
    const name = names(address);
    const lines = name === undefined ? [] : [{ function: builder.function({ name, filename: 'main.go' }), line: 10 }];
    return builder.location({ mapping, address, lines });
  };
  for (const { stack, goroutines = 1, labels = [] } of samples) {
    builder.addSample({ stack: stack.map(locationOf).reverse(), values: [goroutines], labels });
  }
  const before = builder.finish();
  let report: StackspaceReport | undefined;
  const counters: { [name: string]: number } = {};
  const warnings: string[] = [];
  const after = addStackSpace(
    before,
    {
      binaries: [],
      sample_type: 'goroutine_space',
      free_name: 'runtime._FreeStack',
      stacks_bytes: 0,
      threads: 0,
      ...options,
    },
    store,
    new FrameCache(),
    {
      item: testItem(index),
      limits: { ...defaultLimits, ...scene.limits },
      count: (name, amount = 1) => {
        counters[name] = (counters[name] ?? 0) + amount;
      },
      warn: (code, message) => warnings.push(`${code}: ${message}`),
      report: (value) => {
        report = value;
      },
    },
  );
  assert.deepEqual(checkProfile(after), []);
  store.close();
  return { before, after, stacks: stacksOf(after), report, counters, warnings };
}

/** Sums of the two values of all samples. */
const totals = (stacks: readonly string[]): number[] =>
  stacks
    .map((text) => / (-?\d+) (-?\d+)(?: \{|$)/.exec(text)!.slice(1).map(Number))
    .reduce((sums, values) => sums.map((sum, type) => sum + values[type]!), [0, 0]);

test('each prefix gets the bytes of its last frame, the count stays on the whole stack, the rest is free', (t) => {
  const { stacks } = run(t, { samples: [{ stack: [MAIN, WORK], goroutines: 3 }] });
  assert.deepEqual(stacks, [
    `main.main 0 ${3 * 32}`,
    `main.main;main.work 3 ${3 * 120}`,
    `main.main;main.work;runtime._FreeStack 0 ${3 * (2048 - 32 - 120)}`,
  ]);
  assert.deepEqual(totals(stacks), [3, 3 * 2048]);
});

test('stacks that share a prefix share its sample', (t) => {
  const { stacks } = run(t, {
    samples: [
      { stack: [MAIN, WORK], goroutines: 3 },
      { stack: [MAIN, NOSPLIT], goroutines: 2 },
      { stack: [MAIN], goroutines: 1 },
    ],
  });
  assert.deepEqual(
    stacks.filter((stack) => !stack.includes('_FreeStack')),
    [`main.main 1 ${6 * 32}`, `main.main;main.work 3 ${3 * 120}`, `main.main;main.nosplit 2 ${2 * 48}`],
  );
  assert.deepEqual(totals(stacks), [6, 6 * 2048]);
});

test('recursion has a sample for each depth', (t) => {
  const { stacks } = run(t, { samples: [{ stack: [WORK, WORK, WORK] }] });
  assert.deepEqual(stacks.slice(0, 3), [
    'main.work 0 120',
    'main.work;main.work 0 120',
    'main.work;main.work;main.work 1 120',
  ]);
});

test('stacks of different labels stay apart and keep them on every prefix', (t) => {
  const { stacks } = run(t, {
    samples: [
      { stack: [MAIN, WORK], labels: [{ key: 'shard', str: 'a' }] },
      {
        stack: [MAIN, WORK],
        labels: [
          { key: 'shard', str: 'b' },
          { key: 'n', num: 4, numUnit: 'bytes' },
        ],
      },
    ],
  });
  assert.deepEqual(
    stacks.filter((stack) => !stack.includes('_FreeStack')),
    [
      'main.main 0 32 {shard=a}',
      'main.main;main.work 1 120 {shard=a}',
      'main.main 0 32 {shard=b n=4:bytes}',
      'main.main;main.work 1 120 {shard=b n=4:bytes}',
    ],
  );
});

test('a goroutine that has not run keeps its count, and all of its stack is free', (t) => {
  const { stacks, report } = run(t, { samples: [{ stack: [], goroutines: 30 }, { stack: [MAIN] }] });
  assert.deepEqual(stacks.slice(0, 2), [' 30 0', `runtime._FreeStack 0 ${30 * 2048}`]);
  assert.equal(report?.withoutStack, 30n);
});

test('a stack is as large as the checks that its functions passed ask for', (t) => {
  const sizeOf = (...stack: number[]) => totals(run(t, { samples: [{ stack }] }).stacks)[1];
  // 32 above the root, 2008 of the frame, 800 below it.
  assert.equal(sizeOf(LARGE), 4096);
  // 32 + 8 × 120 + 8 of the last call, 928 below that: 1928; one frame more: 2048, and the pointer must be above the guard.
  assert.equal(sizeOf(...Array(9).fill(WORK)), 2048);
  assert.equal(sizeOf(...Array(10).fill(WORK)), 4096);
  // A nosplit leaf did not look: 32 + 9 × 120 + 48 fit in 2048 with what its caller left.
  assert.equal(sizeOf(...Array(9).fill(WORK), NOSPLIT), 2048);
});

test('stacks_bytes makes the total exact, with the threads under a root of its own', (t) => {
  const samples = [{ stack: [MAIN, WORK], goroutines: 3 }];
  const { stacks, report } = run(t, { samples, options: { stacks_bytes: 1_000_000, threads: 5 } });
  assert.deepEqual(totals(stacks), [3, 1_000_000]);
  assert.deepEqual(stacks.slice(-3), [
    `runtime._FreeStack;runtime._SignalStack 0 ${5 * 32768}`,
    `runtime._FreeStack;runtime._SystemStack 0 ${4 * 16384}`,
    `runtime._FreeStack 0 ${1_000_000 - 3 * 2048 - 5 * 32768 - 4 * 16384}`,
  ]);
  assert.equal(report?.process?.restBytes, 1_000_000n - 3n * 2048n - 5n * 32768n - 4n * 16384n);
});

test('threads take no more than there is', (t) => {
  const { stacks } = run(t, { samples: [{ stack: [MAIN] }], options: { stacks_bytes: 50_000, threads: 100 } });
  assert.deepEqual(totals(stacks), [1, 50_000]);
});

test('stacks_bytes below what the goroutines need is of another time, and refused', (t) => {
  const options = { stacks_bytes: 2047 };
  assert.throws(() => run(t, { samples: [{ stack: [MAIN] }], options }), {
    code: 'E_STACKS_BYTES',
    message: /need 2048/,
  });
});

test('stacks_bytes holds for one profile only', (t) => {
  const scene = { samples: [{ stack: [MAIN] }], options: { stacks_bytes: 1 << 20 }, index: 1 };
  assert.throws(() => run(t, scene), { code: 'E_STACKS_BYTES' });
});

test('frames of arm64 hold their return address already', (t) => {
  const { stacks } = run(t, { samples: [{ stack: [MAIN] }], binary: { machine: 183 } });
  assert.deepEqual(stacks, ['main.main 1 24', `main.main;runtime._FreeStack 0 ${2048 - 24}`]);
});

test('above a call that a signal handler made, arm64 saves the link register in two words of their own', (t) => {
  const [sigpanic] = functions.slice(3, 4);
  const injected = [...functions.slice(0, 3), { ...sigpanic!, name: 'runtime.sigpanic' }, ...functions.slice(4)];
  const names = (address: number) => (address === NOSPLIT ? 'runtime.sigpanic' : functionAt.get(address));
  const bytes = (machine: number) => {
    const scene = { samples: [{ stack: [MAIN, NOSPLIT] }], binary: { functions: injected, machine }, names };
    return run(t, scene).stacks[1];
  };
  assert.equal(bytes(62), 'main.main;runtime.sigpanic 1 48');
  assert.equal(bytes(183), 'main.main;runtime.sigpanic 1 56');
});

test('of code of Go before 1.16 no stacks are known, which is said', (t) => {
  const scene = { samples: [{ stack: [MAIN] }], binary: { layout: '1.12' } } as const;
  assert.throws(() => run(t, scene), { code: 'E_NO_BINARY', message: /of Go 1\.16 … 1\.27, this is of 1\.2 … 1\.15/ });
});

test('a binary of another build id is refused with both', (t) => {
  assert.throws(() => run(t, { samples: [{ stack: [MAIN] }], buildId: 'ffff' }), {
    code: 'E_BINARY_DIFFERS',
    message: /build id abcd, .*ffff/,
  });
});

test('without build ids a binary is refused when another function stands at an address, or none', (t) => {
  const binary = { gnuBuildId: undefined } as never;
  const other = { samples: [{ stack: [MAIN] }], buildId: '', binary, names: () => 'main.other' };
  assert.throws(() => run(t, other), {
    code: 'E_BINARY_DIFFERS',
    message:
      /\(no build id\) is not the binary of the profile \(no build id\): at 0x401108 is main\.main, in the profile main\.other/,
  });
  const outside = { samples: [{ stack: [MAIN, 0x401800] }], buildId: '', binary };
  assert.throws(() => run(t, outside), { code: 'E_BINARY_DIFFERS', message: /no function at 0x401800/ });
  assert.equal(run(t, { samples: [{ stack: [MAIN, GENERIC] }], buildId: '', binary }).stacks.length, 3);
});

test('code of the same binary that is not Go counts 0 bytes, and is told', (t) => {
  const { stacks, report, counters } = run(t, { samples: [{ stack: [MAIN, 0x401010, WORK], goroutines: 2 }] });
  assert.deepEqual(stacks.slice(0, 2), ['main.main 0 64', 'main.main;0x401010;main.work 2 240']);
  assert.deepEqual(counters, { 'locations_unsized.no_function': 1 });
  assert.equal(report?.unsizedFrames, 2n);
});

test('text knows functions and offsets into them, or not even these', (t) => {
  const named = (name: string) => (address: number) => (address < 0x20 ? name : undefined);
  const bytesOf = (name: string, offset: number) =>
    run(t, { isText: true, samples: [{ stack: [offset] }], names: named(name) }).stacks[0];
  assert.equal(bytesOf('main.work', 8), 'main.work 1 120');
  assert.equal(bytesOf('main.work', 2), 'main.work 1 8');
  assert.equal(bytesOf('main.work', 0), 'main.work 1 120');
  assert.equal(bytesOf('main.generic[...]', 8), 'main.generic[...] 1 16');
  assert.throws(() => bytesOf('main.other', 8), {
    code: 'E_BINARY_DIFFERS',
    message: /it has no function main\.other/,
  });
});

test('in lists of addresses an inlined call and its caller are one frame', (t) => {
  const [place, caller] = [0x4011aa, 0x4011a6];
  const { stacks } = run(t, { isText: true, samples: [{ stack: [MAIN, caller, place] }], names: () => undefined });
  assert.deepEqual(
    stacks.filter((stack) => !stack.includes('_FreeStack')),
    ['0x401108 0 32', '0x401108;0x4011a6;0x4011aa 1 64'],
  );
});

test('a profile that does not count goroutines is refused', (t) => {
  assert.throws(() => run(t, { samples: [], sampleType: 'cpu' }), { code: 'E_SAMPLE_TYPE', message: /it has "cpu"/ });
});

test('a leak profile is one of goroutines too', (t) => {
  assert.deepEqual(totals(run(t, { samples: [{ stack: [MAIN] }], sampleType: 'goroutineleak' }).stacks), [1, 2048]);
});

test('a profile that has stack space already stays as it is', (t) => {
  const { after, before, warnings } = run(t, { samples: [{ stack: [MAIN] }], options: { sample_type: 'goroutine' } });
  assert.equal(after, before);
  assert.deepEqual(warnings, ['has_stack_space: the profile has the sample type "goroutine" already: left as it is']);
});

test('stacks as deep as the runtime records are told, by their depth', (t) => {
  const { report } = run(t, {
    samples: [
      { stack: Array(128).fill(WORK), goroutines: 4 },
      { stack: Array(32).fill(WORK), goroutines: 9 },
    ],
  });
  assert.deepEqual(report?.cut, { 128: 4n });
});

test('printed stacks that may have been cut without a word are told: Go before 1.21 hides some of the hundred that it counts', (t) => {
  const of = (frames: number, isText: boolean) => {
    const stack = Array(frames).fill(isText ? 8 : WORK);
    const names = (address: number) => (address === 8 ? 'main.work' : functionAt.get(address));
    return run(t, { ...(isText ? { isText } : {}), samples: [{ stack, goroutines: 3 }], names }).report?.cut;
  };
  assert.deepEqual(of(97, true), { 97: 3n });
  assert.deepEqual(of(93, true), {});
  assert.deepEqual(of(97, false), {});
});

test('prefixes of deep stacks are bounded', (t) => {
  const scene = { samples: [{ stack: Array(200).fill(WORK) }], limits: { steps: 10_000 } };
  assert.throws(() => run(t, scene), { code: 'E_LIMIT' });
});

test('counts of goroutines that no machine holds are an overflow, not a wrong sum', (t) => {
  const scene = { samples: [{ stack: [MAIN], goroutines: 2 ** 45 }] };
  assert.throws(() => run(t, scene), { code: 'E_OVERFLOW' });
});
