import assert from 'node:assert/strict';
import { test } from 'node:test';
import { buildElf, buildNote, flags, memorySource } from '../../../test/helpers/elf.js';
import { assertFormatError } from '../../../test/helpers/format-error.js';
import { readElf } from './file.js';
import { findGnuBuildId, findGoBuildId, readNotes } from './note.js';
import { SectionType } from './section.js';
import { SegmentType } from './segment.js';

const gnu = buildNote('GNU', 3, Uint8Array.of(0xab, 0x01, 0xff));
const go = buildNote('Go', 4, Buffer.from('abc/def'));
const property = buildNote('GNU', 5, new Uint8Array(16));

test('build IDs are found among other notes of a section', () => {
  const bytes = Uint8Array.of(...property, ...gnu, ...go);
  const elf = readElf(memorySource(buildElf({ sections: [{ name: '.notes', type: SectionType.note, bytes }] })));
  assert.equal(findGnuBuildId(elf), 'ab01ff');
  assert.equal(findGoBuildId(elf), 'abc/def');
});

test('build IDs are found by the segment where sections are gone', () => {
  const segments = [{ type: SegmentType.note, flags: flags.readOnly, virtualAddress: 0n, bytes: gnu }];
  const elf = readElf(memorySource(buildElf({ segments })));
  assert.equal(findGnuBuildId(elf), 'ab01ff');
  assert.equal(findGoBuildId(elf), undefined);
});

test('notes aligned to 8 bytes are read with that alignment', () => {
  const name = Uint8Array.of(4, 0, 0, 0, 3, 0, 0, 0, 3, 0, 0, 0, 0x47, 0x4e, 0x55, 0);
  const padded = Uint8Array.of(...name, 1, 2, 3, 0, 0, 0, 0, 0, ...name, 4, 5, 6);
  assert.deepEqual(
    readNotes(padded, 8, 'n').map(({ description }) => [...description]),
    [
      [1, 2, 3],
      [4, 5, 6],
    ],
  );
});

test('a note longer than its section is refused with its place', () => {
  const spoilt = gnu.slice();
  new DataView(spoilt.buffer).setUint32(4, 0xffffff00, true);
  assertFormatError(() => readNotes(spoilt, 4, '.note.gnu.build-id'), 'E_ELF_NOTE', {
    section: '.note.gnu.build-id',
    offset: 0,
    limit: gnu.length,
  });
});
