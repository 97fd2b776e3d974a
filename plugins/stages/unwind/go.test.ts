import assert from 'node:assert/strict';
import { test } from 'node:test';
import { binaryOf } from '../../../test/helpers/binaries.js';
import { BASE, type GoFunctionSpec, goTableOf, STACK, walk } from '../../../test/helpers/captured.js';

const [TOP_FRAME, SP_WRITE] = [1, 2];
const RBP = 6;
const [FP, LR] = [29, 30];

/** A frame of 24 bytes (the last 8 of them rbp) from the fourth byte on; of 0 before. */
const framed = [
  [4, 0],
  [0x100, 24],
] as const;
const frameless = [[0x100, 0]] as const;

const named = (name: string, entry: number, deltas: GoFunctionSpec['deltas'], flags = 0): GoFunctionSpec => ({
  name,
  entry,
  end: entry + 0x100,
  flags,
  deltas,
});
const functions = [
  named('main.leafTiny', 0x1000, frameless),
  named('main.work', 0x1100, framed),
  named('runtime.goexit', 0x1200, frameless, TOP_FRAME),
  named('runtime.systemstack', 0x1300, [[0x100, 8]], SP_WRITE),
  named('runtime.systemstack_switch', 0x1400, frameless),
  named('runtime.sigtramp', 0x1500, frameless, TOP_FRAME),
  named('runtime.sigreturn__sigaction', 0x1600, frameless),
  named('runtime.sigpanic', 0x1700, framed),
  named('runtime.morestack', 0x1800, frameless, SP_WRITE),
  named('runtime.cgocallback', 0x1900, [[0x100, 24]], SP_WRITE),
  named('runtime.asmcgocall', 0x1a00, frameless, SP_WRITE),
];
const go = goTableOf(functions);
const app = binaryOf({ go });
const arm64 = binaryOf({ architecture: 'arm64', go });
const at = (objectAddress: number) => BASE + objectAddress;
const goexit = at(0x1201);

test('a leaf without a frame keeps its caller, whatever the frame pointer says', () => {
  const stack = [at(0x1150), 0, 0, 0, goexit];
  assert.deepEqual(walk(app, [{ pc: at(0x1010), registers: { [RBP]: STACK + 24 }, stack }]).lines, [
    '1010 < 114f < 1200: root',
  ]);
});

test('in a prologue the frame is not there yet', () => {
  assert.deepEqual(walk(app, [{ pc: at(0x1103), stack: [goexit] }]).lines, ['1103 < 1200: root']);
});

test('a deep goroutine ends with the captured bytes', () => {
  const { lines } = walk(app, [{ pc: at(0x1110), stack: [0, 0, 0, at(0x1150), 0, 0] }]);
  assert.deepEqual(lines, ['1110 < 114f: truncated']);
});

test('what runs on the system’s stack ends where it was switched to', () => {
  assert.deepEqual(walk(app, [{ pc: at(0x1110), stack: [0, 0, 0, at(0x1350), 0, 0] }]).lines, [
    '1110 < 134f: stack_switch',
  ]);
});

test('in the middle of a switch the frame pointer tells on which stack it is', () => {
  const stack = [0, at(0x1150), 0, 0, 0, goexit];
  const before = { pc: at(0x1310), registers: { [RBP]: STACK }, stack };
  const behind = { pc: at(0x1310), registers: { [RBP]: 0xc000_0000_0100 }, stack };
  assert.deepEqual(walk(app, [before, behind]).lines, ['1310 < 114f < 1200: root', '1310: stack_switch']);
});

test('growing a stack begins on the old one', () => {
  const onOld = { pc: at(0x1800), stack: [at(0x1103), goexit] };
  const onNew = { pc: at(0x1800), stack: [0x42, 0] };
  const callee = { pc: at(0x1010), stack: [at(0x1850), at(0x1103), goexit] };
  assert.deepEqual(walk(app, [onOld, onNew, callee]).lines, [
    '1800 < 1102 < 1200: root',
    '1800: stack_switch',
    '1010 < 184f: stack_switch',
  ]);
});

test('a signal’s handler returns to the exact entry of sigreturn, and that to the exact pc that was interrupted', () => {
  const ucontext = Array(22).fill(0);
  const interruptedSp = STACK + 8 * 30;
  ucontext[120 / 8] = 0xb0; // rbp
  ucontext[160 / 8] = interruptedSp;
  ucontext[168 / 8] = at(0x1100); // the first instruction
  const stack = [at(0x1510), at(0x1600), ...ucontext, ...Array(6).fill(0), goexit];
  assert.deepEqual(walk(app, [{ pc: at(0x1010), stack }]).lines, ['1010 < 150f < 1600 < 1100 < 1200: root']);
  ucontext[160 / 8] = 0xc000_0001_0000;
  const elsewhere = [at(0x1510), at(0x1600), ...ucontext, ...Array(7).fill(0)];
  assert.deepEqual(walk(app, [{ pc: at(0x1010), stack: elsewhere }]).lines, [
    '1010 < 150f < 1600 < 1100: stack_switch',
  ]);
});

test('a panic of a signal was called by nobody: the instruction before it is the one that failed', () => {
  const { lines } = walk(app, [{ pc: at(0x1710), stack: [0, 0, 0, at(0x1100), goexit] }]);
  assert.deepEqual(lines, ['1710 < 1100 < 1200: root']);
});

test('a callback from C is walked on to the goroutine that called C', () => {
  // cgocallback leaves the saved pc as its return address: the entry of systemstack_switch, which stands for asmcgocall's frame.
  const stack = [at(0x1950), 0, 0, 0, at(0x1400), at(0x1150), 0, 0, 0, goexit];
  assert.deepEqual(walk(app, [{ pc: at(0x1010), stack }]).lines, ['1010 < 194f < 1400 < 114f < 1200: root']);
});

test('C code that Go called ends at asmcgocall', () => {
  assert.deepEqual(walk(app, [{ pc: at(0x1010), stack: [at(0x1a50), 0, 0] }]).lines, ['1010 < 1a4f: stack_switch']);
});

test('arm64: the link register lies at the bottom of a frame, and is the leaf’s return address', () => {
  const capture = { architecture: 'arm64', registers: { [LR]: at(0x1150), [FP]: STACK } } as const;
  const { lines } = walk(arm64, [
    { ...capture, pc: at(0x1010), stack: [goexit, 0, 0] },
    { ...capture, pc: at(0x1110), stack: [at(0x1150), 0, 0, goexit, 0, 0] },
    { ...capture, pc: at(0x1110), stack: [] },
  ]);
  assert.deepEqual(lines, ['1010 < 114f < 1200: root', '1110 < 114f < 1200: root', '1110: truncated']);
});

test('arm64: a panic of a signal leaves the link register on the stack', () => {
  // sigpanic's frame, then 16 bytes with the link register of a leaf that had none saved.
  const stack = [at(0x1000), 0, 0, at(0x1150), 0, goexit, 0, 0];
  const { lines } = walk(arm64, [{ architecture: 'arm64', pc: at(0x1710), stack }]);
  assert.deepEqual(lines, ['1710 < 1000 < 114f < 1200: root']);
});
