/** Whatever the tables, registers and stack bytes, a walk ends, and its frames are code that is mapped. */
import assert from 'node:assert/strict';
import { FormatError } from '../../core/formats/errors.js';
import { binaryOf } from '../helpers/binaries.js';
import { ANONYMOUS, BASE, type Captured, goTableOf, STACK, walk } from '../helpers/captured.js';
import { ehFrame } from '../helpers/cfi.js';
import { fuzz } from './mutate.js';

const REGISTERS = 17;
const WORD_BYTES = 8;
const DEPTH = 256;

const section = ehFrame(
  [
    { start: 0x1000, size: 0x20, instructions: [0x41, 0x0e, 16, 0x83, 2] },
    { start: 0x1020, size: 0x20, instructions: [0x0c, 6, 16, 0x86, 2] },
    { start: 0x1040, size: 0x20, instructions: [0x0f, 3, 0x77, 16, 0x06, 0x10, 16, 2, 0x77, 8] },
    { start: 0x1060, size: 0x20, instructions: [0x07, 16] },
  ],
  { augmentation: 'zRS' },
);
const go = goTableOf([
  { name: 'main.work', entry: 0x2000, end: 0x2100, deltas: [[0x100, 24]] },
  { name: 'runtime.systemstack', entry: 0x2100, end: 0x2200, deltas: [[0x100, 8]] },
  { name: 'runtime.sigtramp', entry: 0x2200, end: 0x2300, deltas: [[0x100, 0]] },
  { name: 'runtime.sigreturn__sigaction', entry: 0x2300, end: 0x2400, deltas: [[0x100, 0]] },
  { name: 'runtime.sigpanic', entry: 0x2400, end: 0x2500, deltas: [[0x100, 16]] },
]);

/** Pcs that a walk meets: of each kind of function, and where nothing is. */
const pcs = [0x1001, 0x1010, 0x1021, 0x1041, 0x1061, 0x2010, 0x2110, 0x2200, 0x2300, 0x2410, 0x3000, 0x9999_0000]
  .map((objectAddress) => BASE + objectAddress)
  .concat(ANONYMOUS + 16, 0);

/** The section, the registers, and a stack of pcs, places of the stack and small numbers. */
function seed(number: number): Uint8Array {
  const words = Array.from({ length: REGISTERS + 64 }, (_, at) => {
    if ((at + number) % 3 === 0) return pcs[(at * 7 + number) % pcs.length]!;
    return (at + number) % 3 === 1 ? STACK + WORD_BYTES * ((at * 5 + number) % 80) : at;
  });
  words[7] = STACK;
  words[REGISTERS - 1] = pcs[number % pcs.length]!;
  const bytes = new Uint8Array(section.bytes.length + words.length * WORD_BYTES);
  bytes.set(section.bytes);
  const view = new DataView(bytes.buffer);
  for (const [at, word] of words.entries()) {
    view.setBigUint64(section.bytes.length + at * WORD_BYTES, BigInt(word), true);
  }
  return bytes;
}

function run(bytes: Uint8Array): void {
  const split = Math.min(section.bytes.length, bytes.length);
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const words = Array.from({ length: (bytes.length - split) >>> 3 }, (_, at) =>
    view.getBigUint64(split + at * WORD_BYTES, true),
  );
  const frames = { sections: [{ ...section, bytes: bytes.subarray(0, split) }], faults: [] };
  const captured: Captured = {
    pc: Number(words[REGISTERS - 1] ?? 0n) % 2 ** 53,
    registers: Object.fromEntries(words.slice(0, REGISTERS - 1).map((word, number) => [number, Number(word)])),
    stack: words.slice(REGISTERS),
  };
  for (const binary of [binaryOf({ frames, go }), binaryOf({ frames })]) {
    const { lines, profile, report, endings } = walk(binary, [captured], { depth: DEPTH, audit: true });
    // An audit takes every step outside of the kernel.
    const inKernel = walk(binary, [captured], { depth: DEPTH });
    assert.deepEqual(inKernel.lines, lines);
    assert.deepEqual(inKernel.endings, endings);
    assert.deepEqual(inKernel.report.frames, report.frames);
    if (profile.samples.stackLocations.length > DEPTH) throw new Error('more frames than allowed');
    if (report.stacks !== 1) throw new Error('a stack without an ending');
    // Behind the leaf every frame is in a mapping.
    if (
      lines[0]!
        .split(' < ')
        .slice(1)
        .some((frame) => frame.startsWith('0x'))
    )
      throw new Error(lines[0]!);
  }
}

await fuzz({
  name: 'unwind',
  seeds: pcs.map((_, number) => ({ bytes: seed(number) })),
  run,
  isAllowed: (error) => error instanceof FormatError,
  maxMs: 1_000,
});
