import assert from 'node:assert/strict';
import { mkdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { deflateSync } from 'node:zlib';
import { assertFormatError } from '../../test/helpers/format-error.js';
import { buildFat, buildMachO, type MachSpec } from '../../test/helpers/macho.js';
import { temporaryFolder, writeInto } from '../../test/helpers/temporary.js';
import { objectAddresses } from './mapping.js';
import { openBinary } from './open.js';

const BASE = 0x1_0000_0000n;
const [AMD64, ARM64] = [0x0100_0007, 0x0100_000c];

const code = (size = 64) => ({ name: '__text', virtualAddress: BASE, bytes: new Uint8Array(size), isCode: true });
const dwarf = (...sections: { readonly name: string; readonly bytes: Uint8Array }[]) => ({
  name: '__DWARF',
  virtualAddress: BASE + 0x10000n,
  sections: sections.map((section) => ({ ...section, virtualAddress: BASE + 0x10000n })),
});
const program = (spec: Partial<MachSpec> = {}, size?: number) =>
  buildMachO({
    segments: [{ name: '__TEXT', virtualAddress: BASE, protection: 5, sections: [code(size)] }],
    ...spec,
  });

function open(t: TestContext, files: { readonly [path: string]: Uint8Array }) {
  const folder = temporaryFolder(t);
  for (const [path, bytes] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeInto(folder, path, bytes);
  }
  const binary = openBinary(join(folder, Object.keys(files)[0]!));
  t.after(() => binary.release());
  return binary;
}

const contentOf = (binary: ReturnType<typeof openBinary>, name: string) => {
  const source = binary.debug.section(name);
  return source && Buffer.from(source.read(0, source.size, name)).toString();
};

test('what a file says of itself', (t) => {
  const uuid = '00112233445566778899aabbccddeeff';
  const text = Buffer.concat([Buffer.from('\xff Go build ID: "a/b"\n \xff', 'latin1'), Buffer.alloc(32)]);
  const binary = open(t, {
    app: buildMachO({
      cpu: ARM64,
      flags: 0x20_0000,
      uuid,
      segments: [
        { name: '__PAGEZERO', virtualAddress: 0n, protection: 0, sections: [] },
        { name: '__TEXT', virtualAddress: BASE, protection: 5, sections: [{ ...code(), bytes: text }] },
      ],
    }),
  });
  assert.deepEqual(
    [binary.format, binary.architecture, binary.imageBase, binary.isPositionIndependent, binary.gnuBuildId],
    ['macho', 'arm64', BASE, true, uuid],
  );
  assert.equal(binary.goBuildId, 'a/b');
  assert.equal(binary.segments.length, 1);
  assert.equal(binary.go, undefined);
  assert.deepEqual(Buffer.from(binary.bytesAt(2, 5)).toString(), 'Go bu');
});

test('symbols of code end at the next one or with their section; debuggers’, data’s and assemblers’ are left out', (t) => {
  const symbol = (name: string, value: number, more = {}) => ({
    name,
    value: BASE + BigInt(value),
    section: 1,
    ...more,
  });
  const binary = open(t, {
    app: buildMachO({
      segments: [
        { name: '__TEXT', virtualAddress: BASE, protection: 5, sections: [code()] },
        {
          name: '__DATA',
          virtualAddress: BASE + 0x1000n,
          sections: [{ name: '__data', virtualAddress: BASE + 0x1000n, bytes: new Uint8Array(8) }],
        },
      ],
      symbols: [
        symbol('_local', 8, { kind: 0x0e }),
        symbol('__Z1fv', 16),
        symbol('_alias', 8),
        symbol('debuggers', 20, { kind: 0x24 }),
        symbol('ltmp0', 24),
        symbol('_data', 0x1000, { section: 2 }),
        symbol('_undefined', 30, { kind: 1, section: 0 }),
      ],
    }),
  });
  const nameAt = (address: number) => binary.symbolTables[0]!.find(address)?.name;
  assert.deepEqual([7, 8, 15, 16, 63, 64, 0x1000].map(nameAt), [
    undefined,
    'alias',
    'alias',
    '_Z1fv',
    '_Z1fv',
    undefined,
    undefined,
  ]);
  assert.equal(binary.symbolTables[0]!.name, 'nlist');
});

test('the linker’s name of the header, said to be in a section behind it, is no function', (t) => {
  const text = { ...code(), virtualAddress: BASE + 0x20n };
  const binary = open(t, {
    app: program({
      segments: [{ name: '__TEXT', virtualAddress: BASE, protection: 5, sections: [text] }],
      symbols: [
        { name: '__mh_execute_header', value: BASE, section: 1 },
        { name: '_f', value: BASE + 0x20n, section: 1 },
      ],
    }),
  });
  const names = [0, 0x1f, 0x20].map((address) => binary.symbolTables[0]!.find(address)?.name);
  assert.deepEqual(names, [undefined, undefined, 'f']);
});

test('debug sections by their ELF names: cut to 16 bytes, or compressed in the old way', (t) => {
  const packed = Buffer.concat([Buffer.from('ZLIB\0\0\0\0\0\0\0\x05'), deflateSync('lines')]);
  const binary = open(t, {
    app: program({
      segments: [
        { name: '__TEXT', virtualAddress: BASE, protection: 5, sections: [code()] },
        dwarf(
          { name: '__debug_info', bytes: Buffer.from('info') },
          { name: '__debug_str_offs', bytes: Buffer.from('offsets') },
          { name: '__zdebug_line', bytes: packed },
        ),
      ],
    }),
  });
  assert.equal(contentOf(binary, '.debug_info'), 'info');
  assert.equal(contentOf(binary, '.debug_str_offsets'), 'offsets');
  assert.equal(contentOf(binary, '.debug_line'), 'lines');
  assert.equal(contentOf(binary, '.debug_abbrev'), undefined);
});

test('a .dSYM beside the file is used when it has the same UUID, and refused otherwise', (t) => {
  const [uuid, other] = ['aa'.repeat(16), 'bb'.repeat(16)];
  const bundle = (id: string) =>
    buildMachO({ fileType: 10, uuid: id, segments: [dwarf({ name: '__debug_info', bytes: Buffer.from('beside') })] });
  const path = 'app.dSYM/Contents/Resources/DWARF/app';
  const right = open(t, { app: program({ uuid }), [path]: bundle(uuid) });
  assert.equal(contentOf(right, '.debug_info'), 'beside');
  const wrong = open(t, { app: program({ uuid }), [path]: bundle(other) });
  assert.equal(contentOf(wrong, '.debug_info'), undefined);
  assert.match(wrong.refusals.join(), new RegExp(`has UUID ${other}, wanted is ${uuid}`));
  const spoilt = open(t, { app: program({ uuid }), [path]: bundle(uuid).subarray(0, 40) });
  assert.equal(contentOf(spoilt, '.debug_info'), undefined);
  assert.match(spoilt.refusals.join(), /load commands/);
});

test('of a universal file the slice of this machine; else the first', (t) => {
  const slices = [
    { cpu: ARM64, bytes: program({ cpu: ARM64 }) },
    { cpu: AMD64, bytes: program({ cpu: AMD64 }, 32) },
  ];
  const [here, there] = process.arch === 'arm64' ? (['arm64', 'amd64'] as const) : (['amd64', 'arm64'] as const);
  const bytes = { arm64: 64, amd64: 32 };
  const mine = open(t, { app: buildFat(slices) });
  assert.equal(mine.architecture, here);
  assert.equal(mine.bytesAt(0, 100).length, bytes[here]);
  const [other, ...others] = mine.siblings!;
  assert.deepEqual([other?.architecture, others.length], [there, 0]);
  assert.equal(other!.bytesAt(0, 100).length, bytes[there]);
  const ppc = [{ cpu: 0x12, bytes: program({ cpu: 0x12 }) }];
  assert.equal(open(t, { app: buildFat(ppc) }).architecture, 'other');
});

test('segments of a slice lie where they are in the universal file; slices that cannot be read are left out', (t) => {
  const thin = program({ cpu: ARM64 });
  const old = program().map((byte, at) => (at === 0 ? 0xce : byte));
  const binary = open(t, { app: buildFat([AMD64, ARM64].map((cpu) => ({ cpu, bytes: cpu === ARM64 ? thin : old }))) });
  const [segment] = open(t, { app: thin }).segments;
  const sliceStart = 8 + 2 * 20 + old.length;
  assert.deepEqual(binary.segments, [{ ...segment!, fileOffset: sliceStart + segment!.fileOffset }]);
  assert.deepEqual([binary.architecture, binary.siblings], ['arm64', []]);
  assertFormatError(() => open(t, { app: buildFat([{ cpu: AMD64, bytes: old }]) }), 'E_MACHO_CLASS');
});

test('runtime addresses are found through the file, as in other formats', (t) => {
  const binary = open(t, { app: program({ flags: 0x20_0000 }) });
  const [segment] = binary.segments;
  const mapping = {
    memoryStart: 0x1_0400_0000n,
    memoryLimit: 0x1_0400_4000n,
    fileOffset: BigInt(segment!.fileOffset),
    filename: 'app',
    buildId: '',
  };
  assert.equal(objectAddresses(binary, mapping)(0x1_0400_0010n), 0x10);
});

test('spoilt files are refused with what and where', (t) => {
  const edited = (edit: (view: DataView) => void) => {
    const bytes = program({ symbols: [{ name: '_f', value: BASE, section: 1 }] });
    edit(new DataView(bytes.buffer, bytes.byteOffset));
    return () => open(t, { app: bytes });
  };
  assertFormatError(
    edited((view) => view.setUint32(0, 0xfeedface, true)),
    'E_MACHO_CLASS',
  );
  assertFormatError(
    edited((view) => view.setUint32(0, 0xcffaedfe, true)),
    'E_MACHO_BYTE_ORDER',
  );
  assertFormatError(
    edited((view) => view.setUint32(36, 0, true)),
    'E_MACHO_COMMAND',
  );
  assertFormatError(
    edited((view) => view.setUint32(36, 0x10000, true)),
    'E_MACHO_COMMAND',
  );
  assertFormatError(
    edited((view) => view.setUint32(16, 0xffffffff, true)),
    'E_LIMIT',
  );
  assertFormatError(
    edited((view) => view.setUint32(20, 0xffffff, true)),
    'E_TRUNCATED',
  );
  assertFormatError(
    edited((view) => view.setBigUint64(32 + 48, 1n << 40n, true)),
    'E_MACHO_SEGMENT',
  );
  const cut = open(t, { app: program({ symbols: [{ name: '_f', value: BASE, section: 1 }] }).subarray(0, -2) });
  assertFormatError(() => cut.symbolTables[0]!.find(0), 'E_TRUNCATED');
});

test('slices over each other, over their header or behind the end are refused', (t) => {
  const fat = (edit: (view: DataView) => void) => {
    const bytes = buildFat([ARM64, AMD64].map((cpu) => ({ cpu, bytes: program({ cpu }) })));
    edit(new DataView(bytes.buffer, bytes.byteOffset));
    return () => open(t, { app: bytes });
  };
  assertFormatError(
    fat((view) => view.setUint32(8 + 8, 0)),
    'E_MACHO_FAT',
  );
  assertFormatError(
    fat((view) => view.setUint32(8 + 12, 0x7fffffff)),
    'E_MACHO_FAT',
  );
  assertFormatError(
    fat((view) => view.setUint32(28 + 8, 60)),
    'E_MACHO_FAT',
  );
  const javaClass = Buffer.from('cafebabe00000034', 'hex');
  assertFormatError(() => open(t, { app: javaClass }), 'E_OBJECT_FORMAT');
});
