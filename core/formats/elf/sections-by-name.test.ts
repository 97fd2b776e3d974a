import assert from 'node:assert/strict';
import { test } from 'node:test';
import { deflateSync } from 'node:zlib';
import { zstd } from '../../../test/helpers/assemble-compressed.js';
import { ByteWriter } from '../../../test/helpers/bytes.js';
import { buildElf, memorySource, type SectionSpec } from '../../../test/helpers/elf.js';
import { assertFormatError } from '../../../test/helpers/format-error.js';
import { Budget, defaultLimits } from '../limits.js';
import { readElf } from './file.js';
import { SectionFlag, SectionType } from './section.js';
import { ElfSections } from './sections-by-name.js';

const content = Uint8Array.from({ length: 5000 }, (_, at) => (at * 7) % 13);
const compressed = SectionFlag.compressed;

function sectionsOf(sections: readonly SectionSpec[], budget = new Budget(), wordBytes: 4 | 8 = 8): ElfSections {
  return new ElfSections(readElf(memorySource(buildElf({ sections, wordBytes }))), budget);
}

/** Elf64_Chdr and data. */
const withHeader = (type: number, data: Uint8Array, size = content.length) =>
  new ByteWriter().u32(type, 0).u64(size, 1).append(data).finish();

function contentOf(sections: ElfSections, name: string): Uint8Array {
  const source = sections.find(name)!;
  return new Uint8Array(source.read(0, source.size, name));
}

test('a section is found as if it were not compressed', () => {
  const sections = sectionsOf([
    { name: '.debug_line', bytes: content },
    { name: '.debug_info', flags: compressed, bytes: withHeader(1, deflateSync(content)) },
    { name: '.debug_str', flags: compressed, bytes: withHeader(2, zstd(content)) },
    {
      name: '.zdebug_loc',
      bytes: new ByteWriter()
        .text('ZLIB')
        .u32(0)
        .u8(0, 0, content.length >> 8, content.length)
        .append(deflateSync(content))
        .finish(),
    },
    { name: '.debug_ranges', type: SectionType.nobits, size: 100 },
  ]);
  for (const name of ['.debug_line', '.debug_info', '.debug_str', '.debug_loc']) {
    assert.ok(sections.has(name));
    assert.deepEqual(contentOf(sections, name), content, name);
  }
  assert.equal(sections.find('.debug_ranges'), undefined);
  assert.equal(sections.find('.debug_abbrev'), undefined);
});

test('the header of a 32-bit file has narrower fields', () => {
  const bytes = new ByteWriter().u32(1, content.length, 1).append(deflateSync(content)).finish();
  const sections = sectionsOf([{ name: '.debug_info', flags: compressed, bytes }], new Budget(), 4);
  assert.deepEqual(contentOf(sections, '.debug_info'), content);
});

test('a range is read as part of the section, not of the file', () => {
  const sections = sectionsOf([
    { name: '.debug_line', bytes: content },
    { name: '.debug_info', flags: compressed, bytes: withHeader(1, deflateSync(content)) },
  ]);
  for (const name of ['.debug_line', '.debug_info']) {
    const source = sections.find(name)!;
    assert.deepEqual([...source.read(4990, 10, 'unit')], [...content.subarray(4990)]);
    assertFormatError(() => source.read(4990, 11, 'unit'), 'E_TRUNCATED', { section: name, offset: 4990, limit: 10 });
    assertFormatError(() => source.read(-1, 1, 'unit'), 'E_TRUNCATED', { section: name });
  }
});

test('decompressed sections are kept once, counted and given back', () => {
  const sections = sectionsOf([{ name: '.debug_info', flags: compressed, bytes: withHeader(1, deflateSync(content)) }]);
  assert.equal(sections.heldBytes, 0);
  sections.find('.debug_info');
  sections.find('.debug_info');
  assert.equal(sections.heldBytes, content.length);
  sections.release();
  assert.equal(sections.heldBytes, 0);
  assert.deepEqual(contentOf(sections, '.debug_info'), content);
});

test('a compression that is not known, or a header that is cut, is refused', () => {
  const find = (bytes: Uint8Array, name = '.debug_info', flags: number = compressed) =>
    sectionsOf([{ name, flags, bytes }]).find('.debug_info');
  assertFormatError(() => find(withHeader(3, content)), 'E_ELF_COMPRESSION', { section: '.debug_info', got: 3 });
  assertFormatError(() => find(Uint8Array.of(1, 0, 0, 0, 0, 0)), 'E_TRUNCATED', { section: '.debug_info' });
  assertFormatError(() => find(Buffer.from('LIBZ________'), '.zdebug_info', 0), 'E_ZDEBUG');
});

test('a size that lies is refused before anything is decompressed, as is more than the file may have in memory', () => {
  const lie = [{ name: '.debug_info', flags: compressed, bytes: withHeader(1, deflateSync(content), 2 ** 52) }];
  assertFormatError(() => sectionsOf(lie).find('.debug_info'), 'E_LIMIT', {
    got: 2 ** 52,
    limit: defaultLimits.objectTableBytes,
  });
  const two = ['.debug_info', '.debug_str'].map((name) => ({
    name,
    flags: compressed,
    bytes: withHeader(1, deflateSync(content)),
  }));
  const sections = sectionsOf(two, new Budget({ decompressedSectionBytes: 9_000 }));
  assert.deepEqual(contentOf(sections, '.debug_info'), content);
  assertFormatError(() => sections.find('.debug_str'), 'E_LIMIT', { section: '.debug_str', got: 10_000, limit: 9_000 });
});
