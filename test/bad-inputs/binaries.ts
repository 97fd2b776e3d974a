/** Rows B58 to B63, B73, B74 and B36: executables that lie, each named by the mapping of a profile with one address in it. */
import { bytes, hex, patch, u16, u32, u64 } from '../helpers/assemble.js';
import { block, FIRST_FREE_STRING, int, moreStrings, pprof } from '../helpers/assemble-pprof.js';
import { buildGoBinary, type GoBinarySpec } from '../helpers/go-binary.js';

export interface BadBinary {
  readonly name: string;
  readonly content: () => Uint8Array;
  /** Build ID in the profile's mapping; default: the file's. */
  readonly buildId?: string;
  /** Address of the one location, from the start of the function; default: in its code. */
  readonly pc?: number;
  /** `symbolized`: read in spite of it. Otherwise the reason that is counted, and what the warning says where there is one. */
  readonly expected: 'symbolized' | { readonly reason: string; readonly warning?: RegExp };
}

const BUILD_ID = 'abcdef0123456789abcdef0123456789abcdef01';
/** Bytes of main.work's code, and of the padding behind it. */
const CODE = 0x20;
const PADDING = 0x10;
/** Where the code begins that was inlined into it. */
const INLINED = 6;

const good: GoBinarySpec = {
  gnuBuildId: BUILD_ID,
  functions: [
    {
      name: 'main.work',
      lines: [[7, CODE]],
      stackDeltas: [[0, CODE]],
      pcdata: {
        2: [
          [-1, INLINED],
          [0, CODE - INLINED],
        ],
      },
      inlineTree: [{ name: 'main.inlined', parentPc: INLINED - 1 }],
      padding: PADDING,
    },
    { name: 'main.other', lines: [[9, CODE]] },
  ],
};

/** Offsets of the ELF header's fields. Source: ELF-64 object file format 1.5, section 4. */
const Header = { programOffset: 32, sectionOffset: 40, programEntry: 54, sectionEntry: 58, sections: 60, names: 62 };
/** Offsets of a section header's fields; section 5. */
const Section = { fileOffset: 24, bytes: 32 };
const SECTION_HEADER = 64;

const elf = (field: number, value: Uint8Array) => () => patch(build(), field, value);
const build = (changes: Partial<GoBinarySpec> = {}) => buildGoBinary({ ...good, ...changes }).bytes;

/** A field of a row of the section table: 1 is .text, 2 .gopclntab, 4 .note. */
const section = (row: number, field: number, value: Uint8Array) => () => {
  const file = Buffer.from(build());
  return patch(file, Number(file.readBigUInt64LE(Header.sectionOffset)) + row * SECTION_HEADER + field, value);
};

/** A word of the Go table's header (layout 1.20), or bytes at an offset into the table. */
const table =
  (offset: number, ...value: readonly Uint8Array[]) =>
  () =>
    build({ spoil: (spoilt) => spoilt.set(bytes(...value), offset) });
const word = (index: number) => 8 + 8 * index;
/** Offset into the table of a word of the record of main.work. */
const record = (index: number) => (spoilt: Uint8Array) => {
  const view = new DataView(spoilt.buffer, spoilt.byteOffset);
  const functions = Number(view.getBigUint64(word(7), true));
  return functions + view.getUint32(functions + 4, true) + 4 * index;
};
const spoiltRecord = (index: number, value: number) => () =>
  build({ spoil: (spoilt) => spoilt.set(u32(value), record(index)(spoilt)) });

export const badBinaries: readonly BadBinary[] = [
  { name: 'a good one', content: build, expected: 'symbolized' },
  {
    name: 'B58 section table beyond the end',
    content: elf(Header.sectionOffset, u64(2n ** 40n)),
    expected: { reason: 'spoilt_file', warning: /section header.*0x10000000000/ },
  },
  {
    name: 'B58 section table at 2^63',
    content: elf(Header.sectionOffset, u64(2n ** 63n)),
    expected: { reason: 'spoilt_file', warning: /ELF header\+0x28.*9223372036854775808/ },
  },
  {
    name: 'B58 program headers beyond the end',
    content: elf(Header.programOffset, u64(2n ** 40n)),
    expected: { reason: 'spoilt_file', warning: /program headers.*0x10000000000/ },
  },
  {
    name: 'B59 section count of 2^32 in the first section',
    content: () => {
      const first = Number(Buffer.from(build()).readBigUInt64LE(Header.sectionOffset));
      return patch(patch(build(), Header.sections, u16(0)), first + Section.bytes, u64(2n ** 32n));
    },
    expected: { reason: 'spoilt_file', warning: /elfSections.*4294967296.*65536/ },
  },
  {
    name: 'B59 section headers of no bytes',
    content: elf(Header.sectionEntry, u16(0)),
    expected: { reason: 'spoilt_file', warning: /ELF header\+0x3a/ },
  },
  {
    name: 'B59 program headers of no bytes',
    content: elf(Header.programEntry, u16(0)),
    expected: { reason: 'spoilt_file', warning: /ELF header\+0x36/ },
  },
  {
    name: 'B60 table of 2^62 bytes',
    content: section(2, Section.bytes, u64(2n ** 62n)),
    expected: { reason: 'spoilt_file', warning: /section headers\+0xa0.*4611686018427387904/ },
  },
  {
    name: 'B60 table section over the code',
    content: section(2, Section.fileOffset, u64(0x2000)),
    expected: 'symbolized',
  },
  {
    name: 'B61 names in a section that is not there',
    content: elf(Header.names, u16(999)),
    expected: { reason: 'spoilt_file', warning: /ELF header\+0x3e.*999/ },
  },
  {
    name: 'B63 build ID longer than its section',
    content: section(4, Section.bytes, u64(24)),
    expected: { reason: 'spoilt_file', warning: /\.note\+0x0.*longer than its section/ },
  },
  {
    name: 'B63 another build ID',
    content: build,
    buildId: BUILD_ID.replace(/^ab/, 'ff'),
    expected: { reason: 'build_id_differs', warning: new RegExp(`ffcdef.*${BUILD_ID}|${BUILD_ID}.*ffcdef`) },
  },
  {
    name: 'a file cut in half',
    content: () => build().subarray(0, build().length / 2),
    expected: { reason: 'spoilt_file', warning: /not all in the file/ },
  },
  { name: 'a header cut', content: () => build().subarray(0, 20), expected: { reason: 'spoilt_file' } },
  { name: 'an empty file', content: () => bytes(), expected: { reason: 'not_an_object_file' } },
  { name: 'a script', content: () => bytes('#!/bin/sh\necho\n'), expected: { reason: 'not_an_object_file' } },
  {
    name: 'a file that is neither of 32 nor of 64 bits',
    content: elf(4, hex('03')),
    expected: { reason: 'unsupported_file', warning: /ELF header\+0x4.*64-bit/ },
  },
  {
    name: 'a big-endian file',
    content: elf(5, hex('02')),
    expected: { reason: 'unsupported_file', warning: /ELF header\+0x5.*little-endian/ },
  },
  {
    name: 'B73 no magic',
    content: table(0, u32(0x12345678)),
    expected: { reason: 'spoilt_table', warning: /gopclntab\+0x0.*305419896/ },
  },
  {
    name: 'B73 2^60 functions',
    content: table(word(0), u64(2n ** 60n)),
    expected: { reason: 'spoilt_table', warning: /gopclntab\+0x8.*1152921504606846976/ },
  },
  {
    name: 'B73 names beyond the table',
    content: table(word(3), u64(2n ** 40n)),
    expected: { reason: 'spoilt_table', warning: /gopclntab\+0x48.*1099511627776/ },
  },
  {
    name: 'B73 functions beyond the table',
    content: table(word(7), u64(2n ** 40n)),
    expected: { reason: 'spoilt_table', warning: /gopclntab\+0x48.*1099511627776/ },
  },
  {
    name: 'B73 pointers of six bytes',
    content: table(7, hex('06')),
    expected: { reason: 'unsupported_table', warning: /gopclntab\+0x6.*pointers of 6/ },
  },
  {
    name: 'B73 pointers of four bytes in a table of eight',
    content: table(7, hex('04')),
    expected: { reason: 'spoilt_table', warning: /gopclntab\+0x/ },
  },
  {
    name: 'B73 name beyond the names',
    content: spoiltRecord(1, 0x7fffffff),
    expected: { reason: 'spoilt_table', warning: /string lies behind.*2147483647/ },
  },
  {
    name: 'B73 line table beyond the tables',
    content: spoiltRecord(6, 0x7fffffff),
    expected: { reason: 'spoilt_table', warning: /pc-value table without end/ },
  },
  {
    name: 'B73 line table that never ends',
    content: () =>
      build({
        spoil: (spoilt) => {
          const view = new DataView(spoilt.buffer, spoilt.byteOffset);
          spoilt.fill(0xff, Number(view.getBigUint64(word(6), true)) + 1, Number(view.getBigUint64(word(7), true)));
        },
      }),
    expected: { reason: 'spoilt_table', warning: /varint/ },
  },
  {
    name: 'B36 inlined into itself',
    content: () =>
      build({
        functions: good.functions.map((spec) =>
          spec.inlineTree === undefined ? spec : { ...spec, inlineTree: [{ name: 'main.inlined', parentPc: INLINED }] },
        ),
      }),
    expected: { reason: 'spoilt_table', warning: /inlineDepth.*128/ },
  },
  { name: 'B74 an address in padding', content: build, pc: CODE + 4, expected: { reason: 'padding' } },
  { name: 'B74 an address before the first function', content: build, pc: -0x10, expected: { reason: 'no_function' } },
  { name: 'B74 an address behind the code', content: build, pc: 0x500, expected: { reason: 'outside_binary' } },
];

/** A profile of one address in the file, as a profiler outside of the process delivers it. */
export function profileOf(path: string, { buildId = BUILD_ID, pc = 8 }: BadBinary): Uint8Array {
  const { textStart } = buildGoBinary(good);
  const pageStart = textStart & ~0xfffn;
  return pprof({
    mapping: block(
      3,
      int(1, 1),
      int(2, pageStart),
      int(3, pageStart + 0x1000n),
      int(4, CODE_FILE_OFFSET),
      int(5, FIRST_FREE_STRING),
      int(6, FIRST_FREE_STRING + 1),
    ),
    location: block(4, int(1, 1), int(2, 1), int(3, textStart + BigInt(pc))),
    function: '',
    strings: moreStrings(path, buildId),
  });
}

/** Where the second segment of `buildGoBinary` begins, which holds the code. */
const CODE_FILE_OFFSET = 0x2000;
