import assert from 'node:assert/strict';
import { test } from 'node:test';
import { binaryOf } from '../../test/helpers/binaries.js';
import { ehFrame } from '../../test/helpers/cfi.js';
import { buildElf, flags } from '../../test/helpers/elf.js';
import { assertFormatError } from '../../test/helpers/format-error.js';
import { buildGoBinary } from '../../test/helpers/go-binary.js';
import { temporaryFolder, writeInto } from '../../test/helpers/temporary.js';
import { functionFrames } from './frames.js';
import { openBinary } from './open.js';

test('functions are listed with their absolute entry, code bytes and largest stack delta', (t) => {
  const { bytes } = buildGoBinary({
    functions: [
      {
        name: 'main.work',
        lines: [[1, 0x30]],
        stackDeltas: [
          [0, 4],
          [120, 0x20],
          [8, 0xc],
        ],
        padding: 0x10,
      },
      { name: 'main.withoutTable', lines: [[1, 0x10]] },
      { name: 'main.leaf', lines: [[1, 0x10]], stackDeltas: [[0, 0x10]] },
    ],
  });
  assert.deepEqual(
    [...functionFrames(openBinary(writeInto(temporaryFolder(t), 'app', bytes)))],
    [
      { function: 'main.work', entry: 0x401100n, size: 0x30, frameBytes: 120, method: 'pcsp' },
      { function: 'main.leaf', entry: 0x401150n, size: 0x10, frameBytes: 0, method: 'pcsp' },
    ],
  );
});

test('a binary without Go’s tables and call frame information is refused', (t) => {
  const elf = buildElf({ segments: [{ flags: flags.code, virtualAddress: 0x400000n, bytes: new Uint8Array(64) }] });
  const binary = openBinary(writeInto(temporaryFolder(t), 'app', elf));
  assertFormatError(() => [...functionFrames(binary)], 'E_NO_FRAMES');
});

test('code that Go’s table does not know is told by call frame information', () => {
  const section = ehFrame([
    { start: 0x1000, size: 0x20, instructions: [0x41, 0x0e, 16, 0x44, 0x0e, 80] }, // push; sub $64, %rsp
    { start: 0x1020, size: 0x10, instructions: [0x41, 0x0e, 16, 0x43, 0x0d, 6] }, // push %rbp; mov %rsp, %rbp
    { start: 0x1030, size: 0x10, instructions: [] },
  ]);
  const symbols = {
    name: 'symtab',
    length: 1,
    heldBytes: 0,
    find: (objectAddress: number) =>
      objectAddress < 0x1020
        ? ({ name: 'work', objectAddress: 0x1000, size: 0x20, binding: 'local', type: 'function', file: '' } as const)
        : undefined,
  };
  const binary = binaryOf({
    imageBase: 0x400000n,
    frames: { sections: [section], faults: [] },
    symbolTables: [symbols],
  });
  assert.deepEqual(
    [...functionFrames(binary)],
    [
      { function: 'work', entry: 0x401000n, size: 0x20, frameBytes: 72, method: 'cfi' },
      { function: '', entry: 0x401020n, size: 0x10, frameBytes: undefined, method: 'cfi' },
      { function: '', entry: 0x401030n, size: 0x10, frameBytes: 0, method: 'cfi' },
    ],
  );
});
