import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ByteWriter } from '../../../test/helpers/bytes.js';
import { buildElf, flags, memorySource } from '../../../test/helpers/elf.js';
import { assertFormatError } from '../../../test/helpers/format-error.js';
import { readElf } from './file.js';
import { ElfImage } from './image.js';
import { SegmentType } from './segment.js';

const imageOf = (spec: Parameters<typeof buildElf>[0]) => new ElfImage(readElf(memorySource(buildElf(spec))));

test('object addresses count from the lowest loaded address, also above 2^53', () => {
  const image = imageOf({
    segments: [
      { flags: flags.data, virtualAddress: 0xffffffff81200000n, bytes: Uint8Array.of(3, 4), memoryBytes: 64 },
      { flags: flags.code, virtualAddress: 0xffffffff81000000n, bytes: Uint8Array.of(1, 2) },
    ],
  });
  assert.equal(image.imageBase, 0xffffffff81000000n);
  assert.deepEqual([...image.bytesAt(1, 1)], [2]);
  assert.deepEqual([...image.bytesAt(0x200000, 1)], [3]);
});

test('bytes end where the part that is in the file ends', () => {
  const image = imageOf({
    segments: [{ flags: flags.data, virtualAddress: 0x1000n, bytes: Uint8Array.of(1, 2, 3), memoryBytes: 100 }],
  });
  assert.deepEqual([...image.bytesAt(1, 50)], [2, 3]);
  assert.equal(image.bytesAt(3, 1).length, 0);
  assert.equal(image.bytesAt(-1, 1).length, 0);
  assert.equal(image.bytesAt(2 ** 40, 1).length, 0);
});

test('relative relocations are applied to what the loader would set, and nothing else', () => {
  const data = new ByteWriter().u64(0, 7, 0).finish();
  const relocations = new ByteWriter()
    .u64(0x2008, 8, 0x1234)
    // R_X86_64_GLOB_DAT: not relative
    .u64(0x2010, 6, 0x5678)
    .finish();
  const image = imageOf({
    type: 3,
    segments: [
      { flags: flags.readOnly, virtualAddress: 0x1000n, bytes: relocations },
      { flags: flags.data, virtualAddress: 0x2000n, bytes: data },
      {
        type: SegmentType.dynamic,
        flags: flags.data,
        virtualAddress: 0n,
        bytes: new ByteWriter().u64(7, 0x1000, 8, relocations.length, 0, 0).finish(),
      },
    ],
  });
  assert.equal(image.imageBase, 0x1000n);
  assert.deepEqual([...image.loadedBytesAt(0x1000, 24)], [...new ByteWriter().u64(0, 0x1234, 0).finish()]);
  assert.deepEqual([...image.bytesAt(0x1000, 24)], [...data]);
});

test('relocations that do not lie in the file are refused', () => {
  const dynamic = new ByteWriter().u64(7, 0x1000, 8, 2 ** 40, 0, 0).finish();
  const image = imageOf({
    type: 3,
    segments: [
      { flags: flags.data, virtualAddress: 0x1000n, bytes: new Uint8Array(64) },
      { type: SegmentType.dynamic, flags: flags.data, virtualAddress: 0n, bytes: dynamic },
    ],
  });
  assertFormatError(() => image.loadedBytesAt(0, 64), 'E_ELF_RELOCATIONS', { got: 2 ** 40, limit: 64 });
});

test('segments that end behind the file or lie 2^53 bytes apart are refused', () => {
  const whole = buildElf({ segments: [{ flags: flags.code, virtualAddress: 0n, bytes: new Uint8Array(16) }] });
  const cut = whole.subarray(0, 0x1008);
  assertFormatError(() => new ElfImage(readElf(memorySource(cut))), 'E_ELF_SEGMENT', { got: 0x1010, limit: 0x1008 });
  const apart = [0n, 0xffffffff81000000n].map((virtualAddress) => ({
    flags: flags.code,
    virtualAddress,
    bytes: new Uint8Array(16),
  }));
  assertFormatError(() => imageOf({ segments: apart }), 'E_ELF_SEGMENT');
});
