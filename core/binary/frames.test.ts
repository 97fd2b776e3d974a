import assert from 'node:assert/strict';
import { test } from 'node:test';
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
      { function: 'main.work', entry: 0x401100n, size: 0x30, frameBytes: 120 },
      { function: 'main.leaf', entry: 0x401150n, size: 0x10, frameBytes: 0 },
    ],
  );
});

test('a binary without Go’s tables is refused', (t) => {
  const elf = buildElf({ segments: [{ flags: flags.code, virtualAddress: 0x400000n, bytes: new Uint8Array(64) }] });
  const binary = openBinary(writeInto(temporaryFolder(t), 'app', elf));
  assertFormatError(() => [...functionFrames(binary)], 'E_GO_NO_TABLE');
});
