/** Whatever the bytes, the ELF reader gives values that lie within them, or throws FormatError. */
import { deflateSync } from 'node:zlib';
import { readAlternateLink, readDebugLink } from '../../core/formats/elf/debug-link.js';
import { type ElfFile, readElf, sectionBytes } from '../../core/formats/elf/file.js';
import { ElfImage } from '../../core/formats/elf/image.js';
import { findGnuBuildId, findGoBuildId } from '../../core/formats/elf/note.js';
import { SectionFlag, SectionType } from '../../core/formats/elf/section.js';
import { ElfSections } from '../../core/formats/elf/sections-by-name.js';
import { SegmentType } from '../../core/formats/elf/segment.js';
import { ElfSymbolTable } from '../../core/formats/elf/symbol-table.js';
import { FormatError } from '../../core/formats/errors.js';
import { Budget } from '../../core/formats/limits.js';
import { zstd } from '../helpers/assemble-compressed.js';
import { ByteWriter } from '../helpers/bytes.js';
import { buildElf, buildNote, flags, memorySource, symbolSections } from '../helpers/elf.js';
import { fuzz } from './mutate.js';

function readAll(bytes: Uint8Array): void {
  const elf = readElf(memorySource(bytes));
  findGnuBuildId(elf);
  findGoBuildId(elf);
  for (const section of elf.sections) {
    const content = sectionBytes(elf, section);
    if (content.length > bytes.length) throw new Error(`section of ${content.length} in ${bytes.length} bytes`);
    if (section.type !== SectionType.symtab && section.type !== SectionType.dynsym) continue;
    findEverywhere(new ElfSymbolTable(elf, section, 0x1000n, new Budget()));
  }
  readDebugParts(elf);
  const image = new ElfImage(elf);
  for (const { objectAddress, size } of [...image.segments, ...image.sections]) {
    image.bytesAt(objectAddress, 64);
    const loaded = image.loadedBytesAt(objectAddress, size);
    if (loaded.length > bytes.length) throw new Error(`segment of ${loaded.length} in ${bytes.length} bytes`);
  }
}

/** Sections as debug information is read: each may be refused by itself. */
function readDebugParts(elf: ElfFile): void {
  const budget = new Budget({ objectTableBytes: 2 ** 24, decompressedSectionBytes: 2 ** 25 });
  const sections = new ElfSections(elf, budget);
  const parts: (() => unknown)[] = [() => readDebugLink(sections), () => readAlternateLink(sections)];
  for (const { name } of elf.sections) parts.push(() => sections.find(name));
  for (const part of parts) {
    try {
      part();
    } catch (error) {
      if (!(error instanceof FormatError)) throw error;
    }
  }
  if (sections.heldBytes > budget.limits.decompressedSectionBytes) throw new Error(`${sections.heldBytes} bytes held`);
}

/** Whatever a table says, an address has at most the symbol that it lies in. */
function findEverywhere(table: ElfSymbolTable): void {
  for (let objectAddress = -8; objectAddress < 96; objectAddress += 8) {
    const symbol = table.find(objectAddress);
    if (symbol === undefined) continue;
    const end = symbol.size === 0 ? Number.POSITIVE_INFINITY : symbol.objectAddress + symbol.size;
    if (objectAddress < symbol.objectAddress || objectAddress >= end) {
      throw new Error(`${objectAddress} is outside of ${symbol.objectAddress}+${symbol.size}`);
    }
  }
}

const symbols = new ByteWriter().append(new Uint8Array(24)).u32(1, 0x12).u64(0x1000, 16).u32(3, 0x12).u64(0x1010, 16);
const relocations = new ByteWriter().u64(0x2000, 8, 0x1000, 0x2008, 8, 0x1010).finish();
const whole = buildElf({
  type: 3,
  segments: [
    { flags: flags.code, virtualAddress: 0x1000n, bytes: new Uint8Array(64) },
    { flags: flags.data, virtualAddress: 0x2000n, bytes: new Uint8Array(32), memoryBytes: 4096 },
    { flags: flags.readOnly, virtualAddress: 0x3000n, bytes: relocations },
    {
      type: SegmentType.dynamic,
      flags: flags.data,
      virtualAddress: 0x4000n,
      bytes: new ByteWriter().u64(7, 0x3000, 8, relocations.length, 9, 24, 0, 0).finish(),
    },
    { type: SegmentType.note, flags: flags.readOnly, virtualAddress: 0n, bytes: buildNote('GNU', 3, Uint8Array.of(1)) },
  ],
  sections: [
    { name: '.text', flags: flags.allocatedCode, virtualAddress: 0x1000n, size: 64 },
    { name: '.data', flags: flags.allocated, virtualAddress: 0x2000n, size: 32 },
    { name: '.note.go.buildid', type: SectionType.note, bytes: buildNote('Go', 4, Buffer.from('a/b')) },
    { name: '.symtab', type: SectionType.symtab, bytes: symbols.finish(), link: '.strtab', entrySize: 24 },
    { name: '.strtab', type: SectionType.strtab, bytes: Buffer.from('\0a\0main.main\0') },
  ],
});

const content = Uint8Array.from({ length: 3000 }, (_, at) => at % 31);
const withHeader = (type: number, data: Uint8Array) =>
  new ByteWriter().u32(type, 0).u64(content.length, 1).append(data).finish();
const compressed = buildElf({
  sections: [
    { name: '.debug_info', flags: SectionFlag.compressed, bytes: withHeader(1, deflateSync(content)) },
    { name: '.debug_str', flags: SectionFlag.compressed, bytes: withHeader(2, zstd(content, { checksum: 0 })) },
    {
      name: '.zdebug_line',
      bytes: new ByteWriter()
        .text('ZLIB')
        .u32(0)
        .u8(0, 0, content.length >> 8, content.length)
        .append(deflateSync(content))
        .finish(),
    },
    { name: '.gnu_debuglink', bytes: new ByteWriter().cstring('app.debug').align(4).u32(1).finish() },
    { name: '.gnu_debugaltlink', bytes: new ByteWriter().cstring('common').u8(0xab, 0xcd).finish() },
  ],
});
const narrow = buildElf({
  wordBytes: 4,
  machine: 40,
  segments: [{ flags: flags.code, virtualAddress: 0x1000n, bytes: new Uint8Array(64) }],
  sections: [
    { name: '.text', flags: flags.allocatedCode, virtualAddress: 0x1000n, size: 64 },
    ...symbolSections(
      [
        { name: 'outer', value: 0x1001, size: 48 },
        { name: 'inner', value: 0x1008, size: 8, binding: 0 },
        { name: 'label', value: 0x1010, type: 0 },
        { name: 'behind', value: 0x1032 },
      ],
      'dynsym',
      4,
    ),
  ],
});

await fuzz({
  name: 'elf',
  seeds: [
    {
      bytes: whole,
      hot: [
        [0, 64 + 5 * 56],
        [0x5000, whole.length],
      ],
    },
    { bytes: compressed },
    {
      bytes: narrow,
      hot: [
        [0, 84],
        [0x1040, narrow.length],
      ],
    },
    { bytes: buildElf({ segments: [{ flags: flags.code, virtualAddress: 0x400000n, bytes: new Uint8Array(64) }] }) },
  ],
  run: readAll,
  isAllowed: (error) => error instanceof FormatError,
  maxMs: 1_000,
});
