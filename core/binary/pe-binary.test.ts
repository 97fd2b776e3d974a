import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { deflateSync } from 'node:zlib';
import { ByteWriter } from '../../test/helpers/bytes.js';
import { assertFormatError } from '../../test/helpers/format-error.js';
import { buildPe, type PeSpec, peCode } from '../../test/helpers/pe.js';
import { temporaryFolder, writeInto } from '../../test/helpers/temporary.js';
import { fitsCode, objectAddresses } from './mapping.js';
import { openBinary } from './open.js';

const BASE = 0x1_4000_0000n;
const text = { name: '.text', address: 0x1000, bytes: new Uint8Array(64), flags: peCode };
const data = { name: '.data', address: 0x2000, bytes: new Uint8Array(8) };

function open(t: TestContext, bytes: Uint8Array | Partial<PeSpec>) {
  const file = bytes instanceof Uint8Array ? bytes : buildPe({ sections: [text, data], ...bytes });
  const binary = openBinary(writeInto(temporaryFolder(t), 'app.exe', file));
  t.after(() => binary.release());
  return binary;
}

/** What stands behind the symbol of a section. */
const record = (bytes: number) => new ByteWriter().u32(bytes).append(new Uint8Array(14)).finish();

test('what a file says of itself', (t) => {
  const binary = open(t, { machine: 0xaa64, isRelocatable: true });
  assert.deepEqual(
    [binary.format, binary.architecture, binary.imageBase, binary.isPositionIndependent, binary.go],
    ['pe', 'arm64', BASE, true, undefined],
  );
  assert.deepEqual(
    binary.segments.map(({ objectAddress, memoryBytes, executable }) => [objectAddress, memoryBytes, executable]),
    [
      [0x1000, 64, true],
      [0x2000, 8, false],
    ],
  );
  assert.equal(binary.bytesAt(0x1010, 100).length, 48);
});

test('COFF symbols of code, short names and long ones; sections, files, labels and data are left out', (t) => {
  const binary = open(t, {
    symbols: [
      { name: '.file', value: 0, section: 0xfffe, type: 0, storage: 103, record: record(0) },
      { name: '.text', value: 0, section: 1, type: 0, storage: 3, record: record(64) },
      { name: '.l_start', value: 24, section: 1, type: 0, storage: 3 },
      { name: 'main', value: 16, section: 1 },
      { name: '_ZN4name4that2is4longEv', value: 32, section: 1, storage: 3 },
      { name: 'data', value: 0, section: 2, type: 0 },
    ],
  });
  const [coff] = binary.symbolTables;
  assert.equal(coff!.name, 'coff');
  const names = [0x1000, 0x1010, 0x101f, 0x1020, 0x103f, 0x1040, 0x2000].map((address) => coff!.find(address)?.name);
  const long = '_ZN4name4that2is4longEv';
  assert.deepEqual(names, [undefined, 'main', 'main', long, long, undefined, undefined]);
});

test('a symbol ends with the piece of the section that its object file brought', (t) => {
  const piece = (value: number, bytes: number) => {
    return { name: '.text', value, section: 1, type: 0, storage: 3, record: record(bytes) };
  };
  const symbols = [
    piece(0, 10),
    { name: 'f', value: 0, section: 1 },
    piece(16, 8),
    { name: 'g', value: 20, section: 1 },
  ];
  const [coff] = open(t, { symbols }).symbolTables;
  const names = [0x1009, 0x100a, 0x1010, 0x1014, 0x1017, 0x1018].map((address) => coff!.find(address)?.name);
  assert.deepEqual(names, ['f', undefined, undefined, 'g', 'g', undefined]);
});

test('symbols of 386 have an underscore more than the names of the source', (t) => {
  const binary = open(t, { machine: 0x14c, symbols: [{ name: '__Z3foov', value: 0, section: 1 }] });
  assert.equal(binary.symbolTables[0]!.find(0x1000)?.name, '_Z3foov');
});

test('exports by name, without forwarders', (t) => {
  const address = 0x3000;
  const strings = ['first', 'forward', 'second'];
  const tables = address + 40;
  const stringsAt = tables + 3 * 4 + 3 * 4 + 3 * 2;
  const edata = new ByteWriter().append(new Uint8Array(20)).u32(3).u32(3);
  edata
    .u32(tables)
    .u32(tables + 12)
    .u32(tables + 24);
  edata.u32(0x1030).u32(0x1008).u32(stringsAt);
  let at = stringsAt;
  for (const name of strings) {
    edata.u32(at);
    at += name.length + 1;
  }
  edata.u16(1).u16(2).u16(0);
  for (const name of strings) edata.cstring(name);
  const bytes = edata.finish();
  const binary = open(t, {
    sections: [text, { name: '.edata', address, bytes }],
    exports: { address, size: bytes.length },
  });
  const [exports] = binary.symbolTables;
  assert.equal(exports!.name, 'exports');
  assert.deepEqual(
    [0x1007, 0x1008, 0x1030, stringsAt].map((at) => exports!.find(at)?.name),
    [undefined, 'first', 'second', undefined],
  );
});

test('debug sections, whose names are long, compressed in the old way or not', (t) => {
  const packed = Buffer.concat([Buffer.from('ZLIB\0\0\0\0\0\0\0\x05'), deflateSync('lines')]);
  const { debug } = open(t, {
    sections: [
      text,
      { name: '.debug_info', address: 0x3000, bytes: Buffer.from('info') },
      { name: '.zdebug_line', address: 0x4000, bytes: packed },
    ],
  });
  const contentOf = (name: string) => {
    const source = debug.section(name);
    return source && Buffer.from(source.read(0, source.size, name)).toString();
  };
  assert.deepEqual([contentOf('.debug_info'), contentOf('.debug_line')], ['info', 'lines']);
});

test('a mapping is the image from its base on, of the image’s size', (t) => {
  const mapping = {
    memoryStart: 0x7ff6_0000_0000n,
    memoryLimit: 0x7ff6_0000_3000n,
    fileOffset: 0n,
    filename: 'a',
    buildId: '',
  };
  const binary = open(t, { isRelocatable: true });
  assert.equal(objectAddresses(binary, mapping)(0x7ff6_0000_1010n), 0x1010);
  assert.ok(fitsCode(mapping, binary));
  assert.ok(!fitsCode({ ...mapping, memoryLimit: mapping.memoryStart + 0x1000n }, binary));
  assert.ok(!fitsCode(mapping, open(t, {})));
  const fixed = open(t, {});
  assert.equal(
    objectAddresses(fixed, { ...mapping, memoryStart: BASE, memoryLimit: BASE + 0x3000n })(BASE + 0x1010n),
    0x1010,
  );
});

test('spoilt files are refused with what and where', (t) => {
  const edited = (edit: (view: DataView) => void) => {
    const bytes = buildPe({ sections: [text], symbols: [{ name: 'main', value: 0, section: 1 }] });
    edit(new DataView(bytes.buffer, bytes.byteOffset));
    return () => open(t, bytes);
  };
  assertFormatError(
    edited((view) => view.setUint32(64, 0, true)),
    'E_PE_MAGIC',
  );
  assertFormatError(
    edited((view) => view.setUint32(0x3c, 0xffff, true)),
    'E_TRUNCATED',
  );
  assertFormatError(
    edited((view) => view.setUint16(64 + 24, 0x107, true)),
    'E_PE_OPTIONAL_HEADER',
  );
  assertFormatError(
    edited((view) => view.setUint32(64 + 24 + 120 + 16, 0xffff, true)),
    'E_PE_SECTION',
  );
  assertFormatError(
    edited((view) => view.setUint16(64 + 6, 0xffff, true)),
    'E_TRUNCATED',
  );
  const lying = edited((view) => view.setUint32(64 + 16, 1 << 30, true))();
  assertFormatError(() => lying.symbolTables[0]!.find(0x1000), 'E_LIMIT');
  const beyond = open(t, { exports: { address: 0x90000, size: 40 } });
  assertFormatError(() => beyond.symbolTables[0]!.find(0x1000), 'E_TRUNCATED');
  assertFormatError(() => open(t, Buffer.from('MZ')), 'E_TRUNCATED');
});
