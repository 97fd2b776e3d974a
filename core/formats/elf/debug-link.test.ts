import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ByteWriter } from '../../../test/helpers/bytes.js';
import { buildElf, memorySource } from '../../../test/helpers/elf.js';
import { assertFormatError } from '../../../test/helpers/format-error.js';
import { Budget } from '../limits.js';
import { readAlternateLink, readDebugLink } from './debug-link.js';
import { readElf } from './file.js';
import { ElfSections } from './sections-by-name.js';

const sectionsWith = (name: string, bytes: Uint8Array) =>
  new ElfSections(readElf(memorySource(buildElf({ sections: [{ name, bytes }] }))), new Budget());

const link = (name: string) => new ByteWriter().cstring(name).align(4).u32(0xfedcba98).finish();

test('the debug link is a file name and a checksum', () => {
  assert.deepEqual(readDebugLink(sectionsWith('.gnu_debuglink', link('a.debug'))), {
    name: 'a.debug',
    crc: 0xfedcba98,
  });
  assert.deepEqual(readDebugLink(sectionsWith('.gnu_debuglink', link('abc'))), { name: 'abc', crc: 0xfedcba98 });
  assert.equal(readDebugLink(sectionsWith('.text', link('abc'))), undefined);
});

test('a link does not lead out of the folders that are searched', () => {
  assert.equal(readDebugLink(sectionsWith('.gnu_debuglink', link('../../etc/passwd')))?.name, 'passwd');
});

test('a link that is cut is refused', () => {
  assertFormatError(() => readDebugLink(sectionsWith('.gnu_debuglink', Buffer.from('abc'))), 'E_TRUNCATED');
  assertFormatError(() => readDebugLink(sectionsWith('.gnu_debuglink', Buffer.from('abc\0\x01'))), 'E_TRUNCATED');
});

test('the alternate link is a path and a build ID, in GNU’s form and in that of DWARF 5', () => {
  const gnu = new ByteWriter().cstring('../x.debug').u8(0xab, 0x01).finish();
  const expected = { path: '../x.debug', buildId: 'ab01' };
  assert.deepEqual(readAlternateLink(sectionsWith('.gnu_debugaltlink', gnu)), expected);
  const standard = new ByteWriter().u16(5).u8(0).cstring('../x.debug').u8(2, 0xab, 0x01).finish();
  assert.deepEqual(readAlternateLink(sectionsWith('.debug_sup', standard)), expected);
  const itself = new ByteWriter().u16(5).u8(1).cstring('').u8(2, 0xab, 0x01).finish();
  assert.equal(readAlternateLink(sectionsWith('.debug_sup', itself)), undefined);
});
