import assert from 'node:assert/strict';
import { test } from 'node:test';
import { checkProfile, NO_ROW, stringAt } from '../../../core/index.js';
import { binaryOf } from '../../../test/helpers/binaries.js';
import { ANONYMOUS, BASE, capturedProfile, GONE, STACK, storeOf, walk } from '../../../test/helpers/captured.js';
import { ehFrame, type FrameSpec } from '../../../test/helpers/cfi.js';
import { TableCache } from './binary-tables.js';
import { mergeReports, type UnwindReport } from './report.js';
import { unwind } from './unwind.js';

const RBX = 3;
const RBP = 6;
const RSP = 7;
const R10 = 10;

/** Of functions with a frame of 16 bytes from their second byte on: push rbx (1 byte), call …, pop, ret. */
const pushed = [0x41, 0x0e, 16, 0x83, 2];
const frames: FrameSpec[] = [
  { start: 0x1000, size: 0x20, instructions: [] }, // leaf: the return address on top
  { start: 0x1020, size: 0x20, instructions: pushed },
  { start: 0x1040, size: 0x20, instructions: [0x07, 16] }, // _start: the return address is undefined
  { start: 0x1060, size: 0x20, instructions: [0x0c, RBP, 16, 0x86, 2] }, // CFA rbp+16, rbp saved below
  { start: 0x1080, size: 0x20, instructions: [0x0c, R10, 0] }, // realigned: CFA in r10
  { start: 0x10a0, size: 0x20, instructions: [0x0f, 3, 0x77, 8, 0x06, 0x16, RBP, 2, 0x77, 0] }, // CFA *(rsp+8); rbp at rsp
  { start: 0x10c0, size: 0x10, instructions: [0x3f] }, // no such instruction
];
/** As the kernel's frame of a signal is described: CFA, rip and rsp where ucontext has them. */
const signalFrames: FrameSpec[] = [
  { start: 0x2000, size: 0x10, instructions: [0x0f, 3, 0x77, 16, 0x06, 0x10, 16, 2, 0x77, 8, 0x10, RBX, 2, 0x77, 24] },
];
const noFrames = { sections: [], faults: [] };
const withSections = (...sections: ReturnType<typeof ehFrame>[]) => binaryOf({ frames: { sections, faults: [] } });
const app = withSections(ehFrame(frames), ehFrame(signalFrames, { augmentation: 'zRS' }, 0x9000));
const at = (objectAddress: number) => BASE + objectAddress;

test('callers are found by the rules of their pcs, down to the function that has none', () => {
  const { lines, profile } = walk(app, [
    //      rsp →  return of the leaf, saved rbx, return of its caller
    { pc: at(0x1000), stack: [at(0x1030), 0, at(0x1050)] },
  ]);
  assert.deepEqual(lines, ['1000 < 102f < 104f: root']);
  checkProfile(profile);
  assert.equal(profile.samples.captures, undefined);
});

test('in a prologue the return address is still on top', () => {
  assert.deepEqual(walk(app, [{ pc: at(0x1020), stack: [at(0x1050)] }]).lines, ['1020 < 104f: root']);
});

test('a return address is looked up inside of its call, a captured pc as it is', () => {
  // 0x1020 as return address is the end of the function before; as leaf it is the first instruction of its own.
  const { lines } = walk(app, [{ pc: at(0x1000), stack: [at(0x1020), at(0x1050)] }]);
  assert.deepEqual(lines, ['1000 < 101f < 104f: root']);
});

test('registers that callees saved are carried to where a rule asks for them', () => {
  const frame = STACK + 0x20;
  const { lines } = walk(app, [
    // The leaf keeps rbp; its caller's frame hangs on it.
    { pc: at(0x1000), registers: { [RBP]: frame }, stack: [at(0x1070), 0, 0, 0, 0xbb, at(0x1050)] },
  ]);
  assert.deepEqual(lines, ['1000 < 106f < 104f: root']);
});

test('a CFA in another register is found as long as the register is known', () => {
  const leaf = { pc: at(0x1080), stack: [0, 0, at(0x1050)] };
  const known = { ...leaf, registers: { [R10]: STACK + 24 } };
  // r10 is not kept over calls: in a caller nobody knows it.
  const caller = { pc: at(0x1000), registers: { [R10]: STACK + 24 }, stack: [at(0x1090), 0, at(0x1050)] };
  assert.deepEqual(walk(app, [known, leaf, caller]).lines, [
    '1080 < 104f: root',
    '1080: lost_register',
    '1000 < 108f: lost_register',
  ]);
});

test('expressions read the captured stack', () => {
  const inside = { pc: at(0x10a0), stack: [0, STACK + 32, 0, at(0x1050)] };
  const outside = { pc: at(0x10a0), stack: [0] };
  assert.deepEqual(walk(app, [inside, outside]).lines, ['10a0 < 104f: root', '10a0: bad_read']);
});

test('at the end of the captured bytes the stack is truncated: nothing is taken from beyond', () => {
  const captures = [{ pc: at(0x1000), stack: [at(0x1030), 0] }];
  assert.deepEqual(walk(app, captures).lines, ['1000 < 102f: truncated']);
  const { lines, profile } = walk(app, captures, { truncated: true });
  assert.deepEqual(lines, ['1000 < 102f < [no address]: truncated']);
  const root = profile.samples.stackLocations.at(-1)!;
  assert.equal(profile.locations.mapping[root], NO_ROW);
  const line = profile.locations.lineStart[root]!;
  const name = profile.functions.name[profile.locations.lines.function[line]!]!;
  assert.equal(stringAt(profile.strings, name), '[truncated]');
  checkProfile(profile);
});

test('complete stacks get no virtual root', () => {
  const { lines } = walk(app, [{ pc: at(0x1040), stack: [] }], { truncated: true });
  assert.deepEqual(lines, ['1040: root']);
});

test('what a signal interrupted is looked up as it is, with the registers that it had', () => {
  const interruptedSp = STACK + 0x80;
  const stack = [
    at(0x2004), // of the handler
    0,
    ...[at(0x1020), interruptedSp, 0xb], // at rsp + 8 …: pc, sp, rbx; the pc is on the first instruction of its function
    ...Array(11).fill(0),
    at(0x1050),
  ];
  const { lines } = walk(app, [{ pc: at(0x1000), stack }]);
  assert.deepEqual(lines, ['1000 < 2003 < 1020 < 104f: root']);
});

test('a signal that the kernel was just delivering, or returning from, adds no frames', () => {
  const interruptedSp = STACK + 0x80;
  const delivered = [at(0x2004), 0, at(0x1020), interruptedSp, 0xb, ...Array(11).fill(0), at(0x1050)];
  const returning = { pc: at(0x2004), stack: Array(16).fill(0) };
  const { lines } = walk(app, [{ pc: at(0x1020), stack: delivered }, returning]);
  assert.deepEqual(lines, ['1020 < 104f: root', '2004: no_mapping']);
});

test('without a table, what handlers return to is told by its code, and crossed with all registers', () => {
  const code = Uint8Array.of(0x48, 0xc7, 0xc0, 0x0f, 0, 0, 0, 0x0f, 0x05);
  const bytesAt = (pc: number, length: number) =>
    pc >= 0x3000 && pc < 0x3009 ? code.subarray(pc - 0x3000, pc - 0x3000 + length) : new Uint8Array(0);
  const musl = binaryOf({ bytesAt, frames: { sections: [ehFrame(frames)], faults: [] } });
  const context = (sp: number): number[] => {
    const words: number[] = Array(32).fill(0);
    words[56 / 8] = sp + 16; // r10, by which the interrupted function finds its frame
    words[160 / 8] = sp;
    words[168 / 8] = at(0x1080);
    return words;
  };
  const { lines } = walk(musl, [
    { pc: at(0x1000), stack: [at(0x3000), ...context(STACK + 8 * 33), 0, at(0x1050)] },
    { pc: at(0x3009), stack: [...context(STACK + 8 * 32), 0, at(0x1050)] },
  ]);
  assert.deepEqual(lines, ['1000 < 3000 < 1080 < 104f: root', '3009 < 1080 < 104f: root']);
});

test('arm64: what handlers return to is told by its code, and has all registers behind it', () => {
  const [FP, LR] = [29, 30];
  const code = Uint8Array.of(0x68, 0x11, 0x80, 0xd2, 0x01, 0, 0, 0xd4);
  const bytesAt = (pc: number, length: number) =>
    pc >= 0x3000 && pc < 0x3008 ? code.subarray(pc - 0x3000, pc - 0x3000 + length) : new Uint8Array(0);
  const section = ehFrame(
    [
      { start: 0x1000, size: 0x20, instructions: [] }, // leaf without a frame
      { start: 0x1020, size: 0x20, instructions: [0x07, LR] },
    ],
    { returnAddressRegister: LR, instructions: [0x0c, 31, 0] },
  );
  const binary = binaryOf({ architecture: 'arm64', bytesAt, frames: { sections: [section], faults: [] } });
  // As qemu-aarch64 lays a signal's frame down: x0 at 312, x30 at 552, sp at 560, pc at 568.
  const words: (number | bigint)[] = Array(80).fill(0);
  words[552 / 8] = BigInt(at(0x1030)) + 0x003a_0000_0000_0000n;
  words[560 / 8] = STACK + 8 * 80;
  words[568 / 8] = at(0x1010);
  const handler = { architecture: 'arm64', pc: at(0x1000), registers: { [LR]: at(0x3000), [FP]: 0 } } as const;
  const { lines } = walk(binary, [
    { ...handler, stack: words },
    // In the system call, and at it.
    { architecture: 'arm64', pc: at(0x3008), stack: words },
    { architecture: 'arm64', pc: at(0x3004), stack: words },
    { ...handler, stack: words.slice(0, 60) },
  ]);
  assert.deepEqual(lines, [
    '1000 < 3000 < 1010 < 102f: root',
    '3008 < 1010 < 102f: root',
    '3004 < 1010 < 102f: root',
    '1000 < 3000: truncated',
  ]);
});

test('a handler on a stack of its own shows the interrupted function, whose stack was not captured', () => {
  const stack = [at(0x2004), 0, at(0x1030), 0x7000_0000_0000, 0];
  assert.deepEqual(walk(app, [{ pc: at(0x1000), stack }]).lines, ['1000 < 2003 < 1030: stack_switch']);
});

test('the pc behind a system call that ends a function belongs to the call', () => {
  const single = withSections(ehFrame([{ start: 0x1000, size: 0x10, instructions: [] }, frames[2]!]));
  assert.deepEqual(walk(single, [{ pc: at(0x1010), stack: [at(0x1050)] }]).lines, ['1010 < 104f: root']);
});

test('a stack that does not shrink is a loop, and a deep one is cut', () => {
  // By rbp: the saved rbp is the same again.
  const looping = { pc: at(0x1060), registers: { [RBP]: STACK }, stack: [STACK, at(0x1070)] };
  assert.deepEqual(walk(app, [looping]).lines, ['1060 < 106f: no_progress']);
  const deep = { pc: at(0x1000), stack: Array(50).fill(at(0x1010)) };
  assert.match(walk(app, [deep], { depth: 8 }).lines[0]!, /^1000( < 100f){7}: depth_limit$/);
});

test('where tables end the reason is told, and no frame is made up', () => {
  const nowhere = { pc: at(0x1000), stack: [0x1234_5678] };
  const gone = { pc: at(0x1000), stack: [GONE + 0x10] };
  const spoilt = { pc: at(0x10c0), stack: [at(0x1050)] };
  const noCaller = { pc: at(0x1000), stack: [0] };
  assert.deepEqual(walk(app, [nowhere, gone, spoilt, noCaller]).lines, [
    '1000: no_mapping',
    '1000 < /lib/gone.so+f: no_binary',
    '10c0: spoilt_table',
    '1000: root',
  ]);
});

test('code without tables is walked by the frame pointer where that points at a frame', () => {
  const frame = STACK + 16;
  const stack = [0, 0, 0, at(0x1050)];
  const generated = { pc: ANONYMOUS + 8, registers: { [RBP]: frame }, stack };
  const inFile = { pc: at(0x3000), registers: { [RBP]: frame }, stack };
  const without = { pc: at(0x3000), registers: { [RBP]: 0x42 }, stack };
  const beyond = { pc: at(0x3000), registers: { [RBP]: STACK + 24 }, stack };
  assert.deepEqual(walk(app, [generated, inFile, without, beyond]).lines, [
    '//anon+8 < 104f: root',
    '3000 < 104f: root',
    '3000: no_table',
    '3000: truncated',
  ]);
});

test('the code that a program begins with has no caller, tables or not', () => {
  const bare = binaryOf({ frames: noFrames, entry: 0x1000n });
  assert.deepEqual(walk(bare, [{ pc: at(0x1007), stack: [1, 2] }]).lines, ['1007: root']);
});

test('a table in another section is asked where the first has no rule', () => {
  const first = ehFrame([frames[0]!]);
  const both = withSections(first, ehFrame(frames.slice(1, 3), {}, 0x9000));
  const { lines } = walk(both, [{ pc: at(0x1000), stack: [at(0x1030), 0, at(0x1050)] }]);
  assert.deepEqual(lines, ['1000 < 102f < 104f: root']);
});

test('endings are counted by file', () => {
  const { report } = walk(app, [
    { pc: at(0x1000), stack: [at(0x1050)] },
    { pc: at(0x1000), stack: [] },
    { pc: at(0x1000), stack: [] },
    { pc: GONE, stack: [] },
    { pc: 0x10, stack: [] },
  ]);
  assert.deepEqual(report.endings, [
    { ending: 'no_binary', file: '/lib/gone.so', reason: 'no_binary', stacks: 1 },
    { ending: 'no_mapping', file: '', reason: '', stacks: 1 },
    { ending: 'root', file: '/bin/app', reason: '', stacks: 1 },
    { ending: 'truncated', file: '/bin/app', reason: '', stacks: 2 },
  ]);
  assert.equal(report.stacks, 5);
  assert.equal(report.complete, 1);
});

test('a stack pointer above 2^53, where numbers are far apart, reads nothing behind the copy', () => {
  // The return address at rsp + 2048; 2^63 + 1040 rounds to 2^63 + 2048.
  const large = withSections(ehFrame([{ start: 0x1000, size: 0x20, instructions: [0x0e, 0x88, 0x10] }]));
  const stack = Array(130).fill(0);
  const { lines } = walk(large, [{ pc: at(0x1000), registers: { [RSP]: 2 ** 63 }, stack }]);
  assert.match(lines[0]!, /^1000: (bad_read|truncated)$/);
});

test('equal callers are one location', () => {
  const { profile } = walk(app, [
    { pc: at(0x1000), stack: [at(0x1030), 0, at(0x1050)] },
    { pc: at(0x1000), stack: [at(0x1030), 0, at(0x1050)] },
  ]);
  const [, first, second, , third, fourth] = profile.samples.stackLocations;
  assert.deepEqual([first, second], [third, fourth]);
});

test('a profile without captures is given back', () => {
  const { samples, ...rest } = capturedProfile([]);
  const { captures: _, ...plain } = samples;
  const profile = { ...rest, samples: plain };
  assert.equal(
    unwind(profile, storeOf(app), new TableCache(), { depth: 8, truncated: true, audit: false }).profile,
    profile,
  );
});

test('arm64: the link register is the leaf’s return address, saved ones lose their signature', () => {
  const [FP, LR] = [29, 30];
  const common = { returnAddressRegister: LR, instructions: [0x0c, 31, 0] };
  const section = ehFrame(
    [
      { start: 0x1000, size: 0x20, instructions: [] }, // leaf without a frame
      { start: 0x1020, size: 0x20, instructions: [0x44, 0x0e, 32, 0x9d, 4, 0x9e, 3] }, // stp x29, x30, [sp, -32]!
      { start: 0x1040, size: 0x20, instructions: [0x07, LR] },
    ],
    common,
  );
  const signature = 0x003a_0000_0000_0000n;
  const binary = binaryOf({ architecture: 'arm64', frames: { sections: [section], faults: [] } });
  const stack = [STACK, BigInt(at(0x1050)) + signature, 0, 0];
  const { lines } = walk(binary, [
    { architecture: 'arm64', pc: at(0x1010), registers: { [LR]: at(0x1030), [FP]: STACK }, stack },
    // A caller's link register is not known any more: a function without a saved one calls nobody.
    { architecture: 'arm64', pc: at(0x1010), registers: { [LR]: at(0x1014), [FP]: STACK }, stack },
  ]);
  assert.deepEqual(lines, ['1010 < 102f < 104f: root', '1010 < 1013: lost_register']);
});

test('an audit compares every means with the one that is taken', () => {
  const twice = withSections(ehFrame(frames), { ...ehFrame(frames.slice(1, 3)), name: '.debug_frame' });
  const stack = [at(0x1030), 0, at(0x1050)];
  const capture = { pc: at(0x1000), registers: { [RBP]: STACK + 8 }, stack };
  const { lines, report } = walk(twice, [capture, capture], { audit: true });
  assert.deepEqual(lines, Array(2).fill('1000 < 102f < 104f: root'));
  const row = { file: '/bin/app', taken: '.eh_frame', places: [] };
  assert.deepEqual(report.audit, [
    // Of the caller and of _start; the leaf is only in the first table.
    { ...row, other: '.debug_frame', same: 4, different: 0 },
    // By rbp the leaf has _start as its caller.
    { ...row, other: 'frame_pointer', same: 2, different: 4, places: [at(0x1000), at(0x1050)] },
  ]);
  assert.deepEqual(walk(twice, [capture]).report.audit, []);
});

test('files that are missing or spoilt are said once, with the reason', () => {
  const gone = { pc: GONE, stack: [] };
  const spoilt = { pc: at(0x10c0), stack: [] };
  const { warnings } = walk(app, [gone, gone, spoilt]);
  assert.deepEqual([...warnings.values()].sort(), ['no_binary', 'spoilt_table']);
  assert.match([...warnings.keys()].join('\n'), /\/lib\/gone\.so: not found/);
  assert.match([...warnings.keys()].join('\n'), /\/bin\/app: .*\.eh_frame.*unknown call frame instruction/);
});

test('reports of parts add up to the report of the whole, in any order', () => {
  const captures = [
    { pc: at(0x1000), registers: { [RBP]: STACK + 8 }, stack: [at(0x1030), 0, at(0x1050)] },
    { pc: at(0x1000), registers: { [RBP]: STACK }, stack: [STACK] },
    { pc: GONE, stack: [] },
  ];
  const reportOf = (some: readonly (typeof captures)[number][]) => walk(app, some, { audit: true }).report;
  const [a, b, c] = captures.map((capture) => reportOf([capture])) as [UnwindReport, UnwindReport, UnwindReport];
  const whole = reportOf(captures);
  assert.deepEqual(mergeReports(mergeReports(a, b), c), whole);
  assert.deepEqual(mergeReports(c, mergeReports(b, a)), whole);
});
