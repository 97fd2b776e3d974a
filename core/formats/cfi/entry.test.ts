import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ByteWriter } from '../../../test/helpers/bytes.js';
import { appendEntry, debugFrame, ehFrame, sectionOf } from '../../../test/helpers/cfi.js';
import { Budget } from '../limits.js';
import { EntryReader, type FrameEntry } from './entry.js';
import { findFde, readFdeIndex } from './fde-index.js';
import type { CfiSection } from './section.js';

function read(section: CfiSection): { readonly frames: FrameEntry[]; readonly faults: string[] } {
  const faults: string[] = [];
  const frames = [...new EntryReader(section).entries(({ code }) => faults.push(code))];
  return { frames, faults };
}

const none: number[] = [];
const code = (start: number, size = 16) => ({ start, size, instructions: none });

test('frames are found with their CIE', () => {
  const { frames, faults } = read(
    ehFrame([code(0x1000), code(0x9000, 32)], {
      augmentation: 'zPLRS',
      augmentationData: [0x9b, 0, 0, 0, 0, 0x1b, 0x1b],
    }),
  );
  assert.deepEqual(faults, []);
  assert.deepEqual(
    frames.map(({ start, size, common }) => [start, size, common.augmentation, common.isSignalFrame]),
    [
      [0x1000, 16, 'zPLRS', true],
      [0x9000, 32, 'zPLRS', true],
    ],
  );
  assert.equal(frames[0]!.common, frames[1]!.common, 'read once');
});

for (const version of [1, 3]) {
  test(`CIE version ${version}`, () => {
    assert.equal(read(ehFrame([code(0x1000)], { version })).frames[0]!.common.returnAddressRegister, 16);
  });
}

test('.debug_frame refers to CIEs by offset, version 4 says its address size', () => {
  const { frames } = read(debugFrame([code(0x401000)], 0x400000n));
  assert.deepEqual([frames[0]!.start, frames[0]!.common.version], [0x401000, 4]);
});

test('a length of 0 ends the section only where its size is not known', () => {
  const one = ehFrame([code(0x1000)]);
  const two = { ...one, bytes: Buffer.concat([one.bytes, ehFrame([code(0x2000)]).bytes]) };
  assert.equal(read(two).frames.length, 2);
  assert.equal(read({ ...two, endsAtTerminator: true }).frames.length, 1);
});

test('entries of the 64-bit form', () => {
  const wide = new ByteWriter();
  const { bytes } = ehFrame([]);
  wide.append(bytes.subarray(0, bytes.length - 4));
  const at = wide.length + 12;
  wide
    .u32(0xffffffff)
    .u64(16)
    .u32(at, (0x1000 - (0x8000 + at + 4)) >>> 0, 16)
    .u8(0, 0, 0, 0);
  assert.deepEqual(
    read(sectionOf(wide.finish())).frames.map(({ start, size }) => [start, size]),
    [[0x1000, 16]],
  );
});

test('every encoding of a pointer', () => {
  const start = (
    encoding: number,
    write: (body: ByteWriter, at: number) => unknown,
    extra: Partial<CfiSection> = {},
  ) => {
    const section = new ByteWriter().append(ehFrame([], { augmentationData: [encoding] }).bytes.subarray(0, -4));
    appendEntry(section, (body, at) => write(body.u32(at), 0x8000 + at + 4));
    return read({ ...sectionOf(section.finish()), ...extra });
  };
  const first = ({ frames, faults }: ReturnType<typeof start>) => frames[0]?.start ?? faults[0];
  assert.equal(first(start(0x00, (body) => body.u64(0x1000, 16).u8(0))), 0x1000);
  assert.equal(first(start(0x01, (body) => body.varint(0x1000).varint(16).u8(0))), 0x1000);
  assert.equal(first(start(0x02, (body) => body.u16(0x1000).u16(16).u8(0))), 0x1000);
  assert.equal(first(start(0x03, (body) => body.u32(0x1000, 16).u8(0))), 0x1000);
  assert.equal(first(start(0x04, (body) => body.u64(0x1000, 16).u8(0))), 0x1000);
  assert.equal(first(start(0x09, (body) => body.u8(0x80, 0x20).u8(16, 0))), 0x1000);
  assert.equal(first(start(0x0a, (body) => body.u16(0x1000).u16(16).u8(0))), 0x1000);
  assert.equal(first(start(0x0b, (body) => body.u32(0x1000, 16).u8(0))), 0x1000);
  assert.equal(first(start(0x0c, (body) => body.u64(0x1000, 16).u8(0))), 0x1000);
  assert.equal(first(start(0x1c, (body, at) => body.u64(0x1000 - at, 16).u8(0))), 0x1000);
  assert.equal(first(start(0x2b, (body) => body.u32(0x10, 16).u8(0), { textBase: 0x1000 })), 0x1010);
  assert.equal(first(start(0x3b, (body) => body.u32(0x10, 16).u8(0), { dataBase: 0x2000 })), 0x2010);
  assert.equal(
    first(
      start(0x50, (body, at) =>
        body
          .append(new Uint8Array(-at & 7))
          .u64(0x1000, 16)
          .u8(0),
      ),
    ),
    0x1000,
  );
  assert.equal(first(start(0x3b, (body) => body.u32(0x10, 16).u8(0))), 'E_CFI_POINTER', 'no base');
  assert.equal(first(start(0x9b, (body) => body.u32(0x10, 16).u8(0))), 'E_CFI_POINTER', 'only in memory');
  assert.equal(first(start(0xff, (body) => body.u8(0))), 'E_CFI_POINTER', 'omitted');
  assert.equal(first(start(0x0e, (body) => body.u32(0x10, 16).u8(0))), 'E_CFI_POINTER', 'no such format');
  assert.equal(first(start(0x6b, (body) => body.u32(0x10, 16).u8(0))), 'E_CFI_POINTER', 'no such base');
});

test('one spoilt entry costs itself', () => {
  const good = ehFrame([code(0x1000), code(0x2000), code(0x3000)]);
  const bytes = Uint8Array.from(good.bytes);
  const second = read(good).frames[1]!.offset;
  new DataView(bytes.buffer).setUint32(second + 4, 4, true); // its CIE: itself
  const { frames, faults } = read(sectionOf(bytes));
  assert.deepEqual(
    frames.map(({ start }) => start),
    [0x1000, 0x3000],
  );
  assert.deepEqual(faults, ['E_CFI_CIE']);
});

test('what is wrong with a CIE is said for each of its frames', () => {
  const faults = (common: Parameters<typeof ehFrame>[1]) => read(ehFrame([code(0x1000), code(0x2000)], common)).faults;
  assert.deepEqual(faults({ version: 2 }), ['E_CFI_VERSION', 'E_CFI_VERSION']);
  assert.deepEqual(faults({ augmentation: 'armcc+' }), ['E_CFI_AUGMENTATION', 'E_CFI_AUGMENTATION']);
  assert.deepEqual(faults({ augmentation: 'z'.repeat(17) }), ['E_CFI_AUGMENTATION', 'E_CFI_AUGMENTATION']);
  assert.deepEqual(faults({ augmentation: 'zR', augmentationData: [] }), ['E_CFI_AUGMENTATION', 'E_CFI_AUGMENTATION']);
});

test('a length behind the section ends it', () => {
  const { bytes } = ehFrame([code(0x1000)]);
  const cut = sectionOf(bytes.subarray(0, bytes.length - 8));
  assert.deepEqual(read(cut), { frames: [], faults: ['E_TRUNCATED'] });
});

test('where code lies is the same by whole entries, whatever is spoilt of them', () => {
  const plain = ehFrame([code(0x1000), code(0x2000, 32), code(0x3000, 0)]);
  const other = ehFrame([code(0x4000), code(0x5000)], { augmentation: '' }, plain.objectAddress + plain.bytes.length);
  const whole = new ByteWriter().append(plain.bytes).append(other.bytes).append(plain.bytes).finish();
  const byEntries = (section: CfiSection) => {
    const { frames, faults } = read(section);
    return { ranges: frames.map(({ start, size, offset }) => [start, size, offset]), faults };
  };
  const byRanges = (section: CfiSection) => {
    const ranges: number[][] = [];
    const faults: string[] = [];
    new EntryReader(section).forEachRange(
      (...range) => ranges.push(range),
      ({ code }) => faults.push(code),
    );
    return { ranges, faults };
  };
  assert.equal(byEntries(sectionOf(whole)).ranges.length, 6);
  assert.equal(byEntries(sectionOf(whole)).faults.length, 2, 'of the CIE whose pointers are of another kind');
  for (let at = 0; at < whole.length; at++) {
    for (const value of [0, 1, 0x7f, 0x80, 0xff]) {
      const bytes = whole.slice();
      bytes[at] = value;
      for (const section of [sectionOf(bytes), sectionOf(bytes.subarray(0, at))]) {
        assert.deepEqual(byRanges(section), byEntries(section), `byte ${at} is ${value}`);
      }
    }
  }
});

test('functions are looked up by address, whatever their order, overlap and gaps', () => {
  const section = ehFrame([code(0x3000), code(0x1000, 0x1800), code(0x2000), code(0x2000, 64), code(-0x10)]);
  const index = readFdeIndex(new EntryReader(section), new Budget(), (fault) => assert.fail(fault.message));
  assert.deepEqual([...index.starts], [0x1000, 0x2000, 0x3000]);
  const row = (pc: number) => findFde(index, pc);
  assert.deepEqual([row(0xfff), row(0x1000), row(0x1fff), row(0x2000), row(0x200f)], [-1, 0, 0, 1, 1]);
  assert.deepEqual([row(0x2010), row(0x3000), row(0x300f), row(0x3010)], [-1, 2, 2, -1]);
});
