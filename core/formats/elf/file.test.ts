import assert from 'node:assert/strict';
import { test } from 'node:test';
import { buildElf, flags, memorySource } from '../../../test/helpers/elf.js';
import { assertFormatError } from '../../../test/helpers/format-error.js';
import { Budget } from '../limits.js';
import { findSection, readElf, sectionBytes } from './file.js';
import { SectionType } from './section.js';

const E_SHOFF = 40;
const E_PHOFF = 32;
const E_PHENTSIZE = 54;
const E_PHNUM = 56;
const E_SHENTSIZE = 58;
const E_SHNUM = 60;
const E_SHSTRNDX = 62;

const sample = () =>
  buildElf({
    segments: [{ flags: flags.code, virtualAddress: 0x400000n, bytes: Uint8Array.of(0x90, 0xc3), memoryBytes: 16 }],
    sections: [
      { name: '.text', flags: flags.allocatedCode, virtualAddress: 0x400000n, size: 2 },
      { name: '.comment', bytes: Buffer.from('made here') },
      { name: '.bss', type: SectionType.nobits, size: 2 ** 40 },
    ],
  });

/** Reads a copy of the sample with one field changed. */
function readSpoilt(spoil: (view: DataView, sectionHeaders: number) => void) {
  const bytes = sample();
  const view = new DataView(bytes.buffer);
  spoil(view, Number(view.getBigUint64(E_SHOFF, true)));
  return readElf(memorySource(bytes));
}

test('sections are found by name, with their bytes', () => {
  const elf = readElf(memorySource(sample()));
  assert.deepEqual(
    elf.sections.map(({ name }) => name),
    ['', '.text', '.comment', '.bss', '.shstrtab'],
  );
  assert.equal(Buffer.from(sectionBytes(elf, findSection(elf, '.comment')!)).toString(), 'made here');
  assert.deepEqual([...sectionBytes(elf, findSection(elf, '.text')!)], [0x90, 0xc3]);
  assert.equal(findSection(elf, '.data'), undefined);
});

test('a section without bytes in the file may be larger than the file', () => {
  const elf = readElf(memorySource(sample()));
  assert.equal(sectionBytes(elf, findSection(elf, '.bss')!).length, 0);
});

test('a file whose section table is stripped has segments only', () => {
  const elf = readSpoilt((view) => view.setBigUint64(E_SHOFF, 0n, true));
  assert.equal(elf.sections.length, 0);
  assert.equal(elf.segments.length, 1);
});

test('counts beyond 16 bits are taken from section header 0', () => {
  const elf = readSpoilt((view, headers) => {
    view.setUint16(E_SHNUM, 0, true);
    view.setBigUint64(headers + 32, 5n, true);
    view.setUint16(E_SHSTRNDX, 0xffff, true);
    view.setUint32(headers + 40, 4, true);
    view.setUint16(E_PHNUM, 0xffff, true);
    view.setUint32(headers + 44, 1, true);
  });
  assert.equal(elf.sections.length, 5);
  assert.equal(elf.sections[1]!.name, '.text');
  assert.equal(elf.segments.length, 1);
});

test('a 32-bit file has the same parts', () => {
  const elf = readElf(
    memorySource(
      buildElf({
        wordBytes: 4,
        segments: [
          { flags: flags.code, virtualAddress: 0x8048000n, bytes: Uint8Array.of(0x90, 0xc3), memoryBytes: 16 },
        ],
        sections: [{ name: '.text', flags: flags.allocatedCode, virtualAddress: 0x8048000n, size: 2 }],
      }),
    ),
  );
  const { type, align, ...segment } = elf.segments[0]!;
  assert.deepEqual(segment, {
    flags: flags.code,
    fileOffset: 0x1000,
    virtualAddress: 0x8048000n,
    fileBytes: 2,
    memoryBytes: 16,
  });
  assert.deepEqual([...sectionBytes(elf, findSection(elf, '.text')!)], [0x90, 0xc3]);
});

test('what is no little-endian ELF file is refused by its own code', () => {
  assertFormatError(() => readElf(memorySource(new Uint8Array(0))), 'E_ELF_MAGIC');
  assertFormatError(() => readElf(memorySource(Buffer.from('MZ\0\0'))), 'E_ELF_MAGIC', { offset: 0 });
  assertFormatError(() => readSpoilt((view) => view.setUint8(4, 3)), 'E_ELF_CLASS', { offset: 4, got: 3 });
  assertFormatError(() => readSpoilt((view) => view.setUint8(5, 2)), 'E_ELF_BYTE_ORDER', { offset: 5, got: 2 });
});

test('a file cut inside its header is truncated', () => {
  assertFormatError(() => readElf(memorySource(sample().subarray(0, 50))), 'E_TRUNCATED', { section: 'ELF header' });
});

test('header tables behind the end of the file are refused', () => {
  assertFormatError(() => readSpoilt((view) => view.setBigUint64(E_SHOFF, 1n << 40n, true)), 'E_TRUNCATED');
  assertFormatError(() => readSpoilt((view) => view.setBigUint64(E_PHOFF, 1n << 40n, true)), 'E_TRUNCATED');
  assertFormatError(() => readSpoilt((view) => view.setBigUint64(E_SHOFF, 1n << 63n, true)), 'E_RANGE', {
    section: 'ELF header',
    got: 1n << 63n,
  });
});

test('2^32 sections are refused before anything is allocated for them', () => {
  const spoil = (view: DataView, headers: number) => {
    view.setUint16(E_SHNUM, 0, true);
    view.setBigUint64(headers + 32, 2n ** 32n, true);
  };
  assertFormatError(() => readSpoilt(spoil), 'E_LIMIT', { got: 2 ** 32, limit: 65_536 });
});

test('entry sizes that would make a table loop or overlap are refused', () => {
  for (const size of [0, 1, 63, 65]) {
    const spoil = (view: DataView) => view.setUint16(E_SHENTSIZE, size, true);
    assertFormatError(() => readSpoilt(spoil), 'E_ELF_ENTRY_SIZE', { offset: E_SHENTSIZE, got: size, limit: 64 });
  }
  assertFormatError(() => readSpoilt((view) => view.setUint16(E_PHENTSIZE, 0, true)), 'E_ELF_ENTRY_SIZE');
});

test('section names in a section that is none, or no string table, are refused', () => {
  for (const index of [99, 1]) {
    assertFormatError(() => readSpoilt((view) => view.setUint16(E_SHSTRNDX, index, true)), 'E_ELF_STRING_SECTION', {
      got: index,
    });
  }
});

test('a section that ends behind the file, as in a file cut in half, is refused with both ends', () => {
  const bytes = sample();
  const spoil = (view: DataView, headers: number) => view.setBigUint64(headers + 2 * 64 + 32, 2n ** 50n, true);
  assertFormatError(() => readSpoilt(spoil), 'E_ELF_SECTION', { limit: bytes.length });
});

test('a section name behind the end of the names is refused', () => {
  const spoil = (view: DataView, headers: number) => view.setUint32(headers + 64, 0xffff, true);
  assertFormatError(() => readSpoilt(spoil), 'E_ELF_STRING', { section: '.shstrtab', offset: 0xffff });
});

test('a segment with more bytes in the file than in memory is refused', () => {
  assertFormatError(() => readSpoilt((view) => view.setBigUint64(64 + 40, 1n, true)), 'E_ELF_SEGMENT', {
    got: 2,
    limit: 1,
  });
});

test('the limit on sections can be set', () => {
  assertFormatError(() => readElf(memorySource(sample()), new Budget({ elfSections: 3 })), 'E_LIMIT', {
    got: 5,
    limit: 3,
  });
});
