/**
 * Whatever the bytes of its sections, DWARF gives frames within the limits or throws FormatError, and what it holds stays small. The
 * seeds are a few sections in one piece: lengths in front, then their bytes, so that edits also move borders.
 */
import { Attribute, Form, IndexColumn, RangeEntry, Tag, UnitType } from '../../core/formats/dwarf/constants.js';
import { openDwarf } from '../../core/formats/dwarf/dwarf.js';
import { FormatError } from '../../core/formats/errors.js';
import { defaultLimits } from '../../core/formats/limits.js';
import { ByteWriter } from '../helpers/bytes.js';
import {
  type AttributeSpec,
  buildLineProgram,
  buildUnits,
  type DieSpec,
  debugSections,
  lineOps,
  lineSequence,
  type UnitSpec,
} from '../helpers/dwarf.js';
import { program, programLines } from '../helpers/dwarf-program.js';
import { type FuzzSeed, fuzz } from './mutate.js';

const MAX_HELD_BYTES = 2 ** 25;
const MAX_PROCESS_KIB = 512 * 1024;

/** Those of a `.dwo` or `.dwp` and of an alternate file are in the same piece. */
const NAMES = [
  '.debug_info',
  '.debug_abbrev',
  '.debug_line',
  '.debug_str',
  '.debug_line_str',
  '.debug_aranges',
  '.debug_ranges',
  '.debug_rnglists',
  '.debug_addr',
  '.debug_str_offsets',
  '.debug_info.dwo',
  '.debug_abbrev.dwo',
  '.debug_cu_index',
] as const;
type Sections = { readonly [Name in (typeof NAMES)[number]]?: Uint8Array };

const HEADER_BYTES = 4 * NAMES.length;

function pack(sections: Sections): FuzzSeed {
  const bytes = new ByteWriter();
  for (const name of NAMES) bytes.u32(sections[name]?.length ?? 0);
  for (const name of NAMES) bytes.append(sections[name] ?? []);
  // Lengths of sections are seldom worth an edit.
  return { bytes: bytes.finish(), hot: [[HEADER_BYTES, bytes.length]] };
}

function unpack(bytes: Uint8Array): { readonly [name: string]: Uint8Array } {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  let start = HEADER_BYTES;
  const sections: { [name: string]: Uint8Array } = {};
  for (const [index, name] of NAMES.entries()) {
    if (start >= bytes.length) break;
    const end = Math.min(bytes.length, start + view.getUint32(4 * index, true));
    if (end > start) sections[name] = bytes.subarray(start, end);
    start = end;
  }
  return sections;
}

const addresses = [0, 0xfff, ...Array.from({ length: 26 }, (_, row) => 0x1000 + row * 4), 0x2000, 0x3008, 2 ** 40];

function readAll(bytes: Uint8Array): void {
  const sections = unpack(bytes);
  const other = debugSections(sections);
  const dwarf = openDwarf(
    debugSections(sections, {
      alternate: other,
      splitFile: () => other,
      splitPackage: '.debug_cu_index' in sections ? other : undefined,
    }),
  );
  if (dwarf === undefined) return;
  let refused: FormatError | undefined;
  for (const address of addresses) {
    try {
      const frames = dwarf.framesAt(address) ?? [];
      if (frames.length > defaultLimits.inlineDepth + 1) throw new Error(`${frames.length} frames at ${address}`);
      for (const { line, column, startLine } of frames) {
        if (!(line >= 0 && column >= 0 && startLine >= 0)) throw new Error(`place ${line}:${column}, ${startLine}`);
      }
      dwarf.placeAt(address);
    } catch (error) {
      if (!(error instanceof FormatError)) throw error;
      refused ??= error;
    }
  }
  if (dwarf.heldBytes > MAX_HELD_BYTES) throw new Error(`holds ${dwarf.heldBytes} bytes`);
  if (refused !== undefined) throw refused;
}

const { address, sectionOffset, strp, strx, addrx, rnglistx, data1, data4, ref4, refAddress, string } = Form;
/** DW_TAG_lexical_block. */
const LEXICAL_BLOCK = 0x0b;
const root = (attributes: AttributeSpec[], children: DieSpec[]): DieSpec => ({
  tag: Tag.compileUnit,
  attributes,
  children,
});
const lines = buildLineProgram({ opcodes: programLines });

function ofVersion(version: number): FuzzSeed {
  const { info, abbrev } = buildUnits(program(version));
  const opcodes = lineSequence(0x1000, [[0x60, 1, 10, 1]]);
  const line =
    version === 5 ? lines : buildLineProgram({ version, opcodes, folders: ['/src', 'include'], files: [['a.c', 2]] });
  const aranges = new ByteWriter().u16(2).u32(0).u8(8, 0).u32(0).u64(0x1000, 0x60, 0, 0).finish();
  return pack({
    '.debug_info': info,
    '.debug_abbrev': abbrev,
    '.debug_line': line,
    '.debug_aranges': new ByteWriter().u32(aranges.length).append(aranges).finish(),
  });
}

/** Addresses, texts and ranges by index, two nested calls with several ranges each. */
function indexed(): FuzzSeed {
  const call = (list: number, children: DieSpec[] = []): DieSpec => ({
    tag: Tag.inlinedSubroutine,
    attributes: [
      [Attribute.abstractOrigin, ref4, callee],
      [Attribute.ranges, rnglistx, list],
      [Attribute.callLine, Form.implicitConst, 7],
    ],
    children,
  });
  const callee: DieSpec = { tag: Tag.subprogram, attributes: [[Attribute.name, strx, 1]] };
  const unit: UnitSpec = {
    root: root(
      [
        [Attribute.name, strx, 0],
        [Attribute.statementList, sectionOffset, 0],
        [Attribute.stringOffsetsBase, sectionOffset, 8],
        [Attribute.addressBase, sectionOffset, 8],
        [Attribute.rangeListsBase, sectionOffset, 12],
        [Attribute.lowPc, addrx, 0],
        [Attribute.ranges, rnglistx, 0],
      ],
      [
        callee,
        {
          tag: Tag.subprogram,
          attributes: [
            [Attribute.linkageName, strp, 0],
            [Attribute.lowPc, addrx, 0],
            [Attribute.highPc, data4, 0x60],
          ],
          children: [call(1, [call(1)])],
        },
      ],
    ),
  };
  const lists = new ByteWriter();
  const first = lists.u8(RangeEntry.startxLength).varint(0).varint(0x60).u8(RangeEntry.endOfList).length;
  lists.u8(RangeEntry.baseAddressx).varint(1).u8(RangeEntry.offsetPair).varint(0).varint(8);
  lists.u8(RangeEntry.startEnd).u64(0x1040, 0x1048).u8(RangeEntry.startLength).u64(0x1050).varint(4);
  lists.u8(RangeEntry.baseAddress).u64(0x1000).u8(RangeEntry.offsetPair).varint(0x30).varint(0x34);
  lists.u8(RangeEntry.startxEndx).varint(0).varint(1).u8(RangeEntry.endOfList);
  const part = (head: readonly number[], body: ByteWriter) =>
    new ByteWriter()
      .u32(head.length + body.length)
      .u8(...head)
      .append(body.finish())
      .finish();
  const { info, abbrev } = buildUnits(unit);
  return pack({
    '.debug_info': info,
    '.debug_abbrev': abbrev,
    '.debug_line': lines,
    '.debug_str': new ByteWriter().cstring('a.c').cstring('callee').finish(),
    '.debug_str_offsets': part([5, 0, 0, 0], new ByteWriter().u32(0, 4)),
    '.debug_addr': part([5, 0, 8, 0], new ByteWriter().u64(0x1000, 0x1020)),
    '.debug_rnglists': part([5, 0, 8, 0, 2, 0, 0, 0], new ByteWriter().u32(8, 8 + first).append(lists.finish())),
  });
}

/** Two units that refer to each other, range lists of version 4, deep trees, and a line program with every kind of opcode. */
function intertwined(): FuzzSeed {
  let deep: DieSpec = { tag: LEXICAL_BLOCK, attributes: [] };
  for (let depth = 0; depth < 40; depth++) deep = { tag: LEXICAL_BLOCK, attributes: [], children: [deep] };
  const named: DieSpec = { tag: Tag.subprogram, attributes: [[Attribute.name, string, 'named']] };
  const first: UnitSpec = {
    version: 4,
    root: root(
      [
        [Attribute.name, string, 'first.c'],
        [Attribute.ranges, sectionOffset, 0],
      ],
      [
        named,
        {
          tag: Tag.subprogram,
          attributes: [
            [Attribute.specification, ref4, named],
            [Attribute.ranges, sectionOffset, 0],
          ],
          children: [deep],
        },
      ],
    ),
  };
  const second: UnitSpec = {
    version: 4,
    root: root(
      [
        [Attribute.lowPc, address, 0x2000],
        [Attribute.highPc, data4, 16],
        [Attribute.statementList, sectionOffset, 0],
      ],
      [
        {
          tag: Tag.subprogram,
          attributes: [
            [Attribute.specification, refAddress, 24],
            [Attribute.name, string, 'second'],
            [Attribute.declarationLine, Form.gnuStrpAlternate, 0],
            [Attribute.abstractOrigin, Form.gnuRefAlternate, 24],
            [Attribute.lowPc, address, 0x2000],
            [Attribute.highPc, data1, 16],
          ],
        },
      ],
    ),
  };
  const opcodes = new ByteWriter()
    .append(lineOps.setAddress(0x2000))
    .u8(0, 6, 3, 0x62, 0, 0, 0, 0) // DW_LNE_define_file
    .u8(10, 11, 6, 7, 8, 9, 4, 0, 12, 1, 0x20, 0x93)
    .append(lineOps.copy)
    .append(lineOps.advancePc(4))
    .append(lineOps.endSequence)
    .finish();
  const { info, abbrev } = buildUnits(first, second);
  return pack({
    '.debug_info': info,
    '.debug_abbrev': abbrev,
    '.debug_line': buildLineProgram({ version: 4, opcodes }),
    '.debug_ranges': new ByteWriter().u64(0xffffffffffffffffn, 0x1000, 0, 0x10, 0x20, 0x28, 0, 0).finish(),
  });
}

/** A skeleton and its split unit, with or without an index of a package. */
function split(isPackaged: boolean): FuzzSeed {
  const dwoId = 0x0102030405060708n;
  const skeleton: UnitSpec = {
    type: UnitType.skeleton,
    dwoId,
    root: {
      tag: Tag.skeletonUnit,
      attributes: [
        [Attribute.dwoName, string, 'a.dwo'],
        [Attribute.lowPc, address, 0x1000],
        [Attribute.highPc, data4, 0x60],
        [Attribute.statementList, sectionOffset, 0],
      ],
    },
  };
  const { root: whole } = program();
  const main = buildUnits(skeleton);
  const dwo = buildUnits({ type: UnitType.splitCompile, dwoId, root: { ...whole, attributes: [] } });
  const index = new ByteWriter().u32(5, 2, 1, 2);
  // Two slots of keys, two of rows, the kinds of the columns, then offsets and sizes.
  index.u64(dwoId, 0).u32(1, 0).u32(IndexColumn.info, IndexColumn.abbreviations).u32(0, 0);
  index.u32(dwo.info.length, dwo.abbrev.length);
  return pack({
    '.debug_info': main.info,
    '.debug_abbrev': main.abbrev,
    '.debug_line': lines,
    '.debug_info.dwo': dwo.info,
    '.debug_abbrev.dwo': dwo.abbrev,
    ...(isPackaged && { '.debug_cu_index': index.finish() }),
  });
}

await fuzz({
  name: 'dwarf',
  seeds: [...[2, 3, 4, 5].map(ofVersion), indexed(), intertwined(), split(false), split(true)],
  run: readAll,
  isAllowed: (error) => error instanceof FormatError,
  maxMs: 2_000,
});
const { maxRSS } = process.resourceUsage();
if (maxRSS > MAX_PROCESS_KIB) {
  console.error(`dwarf: ${maxRSS} KiB of memory, limit ${MAX_PROCESS_KIB}`);
  process.exitCode = 1;
}
