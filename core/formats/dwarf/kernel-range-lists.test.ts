import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { ByteWriter } from '../../../test/helpers/bytes.js';
import { type AttributeSpec, buildUnits, type DieSpec, debugSections } from '../../../test/helpers/dwarf.js';
import { memorySource } from '../../../test/helpers/elf.js';
import { FormatError } from '../errors.js';
import { DeadAddresses } from './address-ranges.js';
import { Attribute, Form, RangeEntry, Tag } from './constants.js';
import { openDwarf } from './dwarf.js';
import { RangeBuffer, type RangeContext, readOldRangeList, readRangeList } from './range-list.js';
import { SectionWindow } from './section-window.js';

const FUNCTION = { low: 0x1000, bytes: 0x100 };
/** What lists count from at first. */
const UNIT_BASE = 0x1000;
const ADDRESSES = [0x1008, 0x1020, 0x1040, 0x10c0];
/** Of the list in its section. */
const LIST = 24;

interface Lists {
  readonly version: 4 | 5;
  readonly section: Uint8Array;
  /** Whether the list is referred to by its number, 0. */
  readonly isNumbered?: boolean;
}

/** A function with one inlined call, whose code is that of the list. */
function program({ version, section, isNumbered = false }: Lists) {
  const called: DieSpec = { tag: Tag.subprogram, attributes: [[Attribute.name, Form.string, 'called']] };
  const ranges: AttributeSpec = isNumbered
    ? [Attribute.ranges, Form.rnglistx, 0]
    : [Attribute.ranges, Form.sectionOffset, LIST];
  const { info, abbrev } = buildUnits({
    version,
    root: {
      tag: Tag.compileUnit,
      attributes: [
        [Attribute.lowPc, Form.address, UNIT_BASE],
        [Attribute.highPc, Form.data4, FUNCTION.bytes],
        ...(isNumbered ? [[Attribute.rangeListsBase, Form.sectionOffset, 12] as const] : []),
      ],
      children: [
        called,
        {
          tag: Tag.subprogram,
          attributes: [
            [Attribute.name, Form.string, 'caller'],
            [Attribute.lowPc, Form.address, FUNCTION.low],
            [Attribute.highPc, Form.data4, FUNCTION.bytes],
          ],
          children: [
            { tag: Tag.inlinedSubroutine, attributes: [[Attribute.abstractOrigin, Form.ref4, called], ranges] },
          ],
        },
      ],
    },
  });
  const table = new ByteWriter().u32(0).u16(5).u8(8, 0);
  for (const address of ADDRESSES) table.u64(address);
  const dwarf = openDwarf(
    debugSections({
      '.debug_info': info,
      '.debug_abbrev': abbrev,
      '.debug_addr': table.finish(),
      [version === 5 ? '.debug_rnglists' : '.debug_ranges']: section,
    }),
  );
  assert.ok(dwarf);
  return dwarf;
}

/** Addresses where the call is, by the reader for which no kernel is needed; the code of its error. */
function expected({ version, section }: Lists): string {
  const imageBase = { high: 0, low: 0 };
  const context: RangeContext = {
    encoding: { version, offsetBytes: 4, addressBytes: 8 },
    imageBase,
    dead: new DeadAddresses(imageBase, 8),
    unitBase: UNIT_BASE,
    addressAt(index) {
      if (index < ADDRESSES.length) return ADDRESSES[index]!;
      throw new FormatError('E_TRUNCATED', 'behind the table');
    },
  };
  const buffer = new RangeBuffer();
  const read = version === 5 ? readRangeList : readOldRangeList;
  return told(() => {
    read(new SectionWindow(memorySource(section), 'lists'), LIST, context, buffer);
    const { values, length } = buffer;
    return (address) => {
      for (let at = 0; at < length; at += 2) if (values[at]! <= address && address < values[at + 1]!) return true;
      return false;
    };
  });
}

function got(lists: Lists): string {
  return told(() => {
    const dwarf = program(lists);
    return (address) => dwarf.framesAt(address)?.[0]?.function === 'called';
  });
}

/** `*` for each address of the function where the call is. */
function told(open: () => (address: number) => boolean): string {
  try {
    const isCalled = open();
    return Array.from({ length: FUNCTION.bytes }, (_, at) => (isCalled(FUNCTION.low + at) ? '*' : '.')).join('');
  } catch (error) {
    if (error instanceof FormatError) return error.code;
    throw error;
  }
}

const address = fc.oneof(fc.integer({ min: 0xff0, max: 0x1110 }), fc.constantFrom(0, 1, 2 ** 40));
const offset = fc.oneof(fc.integer({ min: 0, max: 0x110 }), fc.constantFrom(0x7f, 0x80, 2 ** 31));
const index = fc.integer({ min: 0, max: ADDRESSES.length });
const highest = (1n << 64n) - 1n;

type Write = (into: ByteWriter) => unknown;

const entry: fc.Arbitrary<Write> = fc.oneof(
  fc.tuple(offset, offset).map(
    ([low, high]): Write =>
      (to) =>
        to.u8(RangeEntry.offsetPair).varint(low).varint(high),
  ),
  address.map(
    (base): Write =>
      (to) =>
        to.u8(RangeEntry.baseAddress).u64(base),
  ),
  fc.tuple(address, address).map(
    ([low, high]): Write =>
      (to) =>
        to.u8(RangeEntry.startEnd).u64(low).u64(high),
  ),
  fc.tuple(address, offset).map(
    ([low, bytes]): Write =>
      (to) =>
        to.u8(RangeEntry.startLength).u64(low).varint(bytes),
  ),
);
/** Those that refer to `.debug_addr`, which the kernel leaves to its host. */
const indexEntry: fc.Arbitrary<Write> = fc.oneof(
  index.map(
    (base): Write =>
      (to) =>
        to.u8(RangeEntry.baseAddressx).varint(base),
  ),
  fc.tuple(index, index).map(
    ([low, high]): Write =>
      (to) =>
        to.u8(RangeEntry.startxEndx).varint(low).varint(high),
  ),
  fc.tuple(index, offset).map(
    ([low, bytes]): Write =>
      (to) =>
        to.u8(RangeEntry.startxLength).varint(low).varint(bytes),
  ),
);
const oldEntry: fc.Arbitrary<Write> = fc.oneof(
  fc.tuple(offset, offset).map(
    ([low, high]): Write =>
      (to) =>
        to.u64(low).u64(high),
  ),
  fc.tuple(address, address).map(
    ([low, high]): Write =>
      (to) =>
        to.u64(low).u64(high),
  ),
  address.map(
    (base): Write =>
      (to) =>
        to.u64(highest).u64(base),
  ),
);

/** A section whose list begins at LIST, after the offset of the first list where that is looked for. */
function sectionOf(entries: readonly Write[], end: Uint8Array): Uint8Array {
  const writer = new ByteWriter()
    .u64(0)
    .u32(0)
    .u32(LIST - 12)
    .u64(0);
  for (const write of entries) write(writer);
  return writer.append(end).finish();
}

const ends = {
  4: fc.constantFrom(new Uint8Array(16), new Uint8Array(16), new Uint8Array(7), new Uint8Array(0)),
  5: fc.constantFrom(new Uint8Array(1), new Uint8Array(1), new Uint8Array(0), Uint8Array.of(9), Uint8Array.of(4, 0x80)),
};

test('lists of DWARF 5 give the ranges that the host reads, by offset and by number', () => {
  const entries = fc.array(fc.oneof({ weight: 8, arbitrary: entry }, { weight: 1, arbitrary: indexEntry }), {
    maxLength: 12,
  });
  fc.assert(
    fc.property(entries, ends[5], fc.boolean(), (list, end, isNumbered) => {
      const lists: Lists = { version: 5, section: sectionOf(list, end), isNumbered };
      assert.equal(got(lists), expected(lists));
    }),
    { numRuns: 300 },
  );
});

test('lists of DWARF 4 give the ranges that the host reads', () => {
  fc.assert(
    fc.property(fc.array(oldEntry, { maxLength: 12 }), ends[4], (list, end) => {
      const lists: Lists = { version: 4, section: sectionOf(list, end) };
      assert.equal(got(lists), expected(lists));
    }),
    { numRuns: 300 },
  );
});

test('whatever the bytes of a list', () => {
  const bytes = fc.uint8Array({ maxLength: 64 });
  fc.assert(
    fc.property(fc.constantFrom<4 | 5>(4, 5), bytes, (version, list) => {
      const lists: Lists = { version, section: sectionOf([], list) };
      assert.equal(got(lists), expected(lists));
    }),
    { numRuns: 300 },
  );
});
