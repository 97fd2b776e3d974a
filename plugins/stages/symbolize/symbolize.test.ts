import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { readKallsyms, readPerfMap } from '../../../core/binaries.js';
import { createBinaryStore } from '../../../core/binary/file-store.js';
import { SymbolChains } from '../../../core/binary/symbols/chain.js';
import {
  type BinaryStore,
  checkProfile,
  MappingFlag,
  type Profile,
  ProfileBuilder,
  stringAt,
} from '../../../core/index.js';
import { buildGoBinary, type GoBinarySpec } from '../../../test/helpers/go-binary.js';
import { temporaryFolder, writeInto } from '../../../test/helpers/temporary.js';
import { RuntimeNames } from './runtime-names.js';
import { type Sources, type Symbolized, symbolize } from './symbolize.js';

/** main.outer at 0x401100 … 0x401120, padding to 0x401130; main.inner inlined at 0x401110 … 0x401118. */
const functions: GoBinarySpec['functions'] = [
  {
    name: 'main.outer',
    file: '/src/main.go',
    startLine: 9,
    lines: [
      [10, 0x10],
      [50, 8],
      [12, 8],
    ],
    pcdata: {
      2: [
        [-1, 0x10],
        [0, 8],
      ],
    },
    inlineTree: [{ name: 'main.inner', parentPc: 0x0f, startLine: 49 }],
    padding: 0x10,
  },
  {
    name: 'main.spoilt',
    lines: [[1, 0x10]],
    pcdata: { 2: [[7, 0x10]] },
    inlineTree: [{ name: 'main.inner', parentPc: 0 }],
  },
];

interface Scene {
  readonly addresses: readonly (number | bigint)[];
  readonly mapping?: { readonly filename?: string; readonly buildId?: string } | 'none';
  readonly binary?: Partial<GoBinarySpec>;
  readonly force?: boolean;
  /** Lines that the location of an address has before. */
  readonly known?: { readonly [address: number]: string };
}

const sourcesOf = (binaries: BinaryStore, runtimeNames = new RuntimeNames(undefined, [])): Sources => ({
  binaries,
  chains: new SymbolChains('simple'),
  runtimeNames,
});

/** One sample a location, of value 100, 101 …; the binary is named. */
function run(t: TestContext, scene: Scene): Symbolized & { readonly before: Profile } {
  const folder = temporaryFolder(t);
  const { bytes } = buildGoBinary({ functions, gnuBuildId: 'abcd', ...scene.binary });
  const store = createBinaryStore();
  store.add([writeInto(folder, 'app', bytes)]);
  const builder = new ProfileBuilder({ sampleTypes: [{ type: 'cpu', unit: 'nanoseconds' }] });
  const base = scene.binary?.positionIndependent === true ? 0x7f0000000000n : 0x400000n;
  const mapping =
    scene.mapping === 'none'
      ? {}
      : {
          mapping: builder.mapping({
            memoryStart: base + 0x1000n,
            memoryLimit: base + 0x2000n,
            fileOffset: 0x2000n,
            filename: '/srv/app',
            ...scene.mapping,
          }),
        };
  scene.addresses.forEach((address, index) => {
    const name = scene.known?.[Number(address)];
    const lines = name === undefined ? [] : [{ function: builder.function({ name, filename: 'k.go' }), line: 1 }];
    builder.addSample({ stack: [builder.addLocation({ ...mapping, address, lines })], values: [100 + index] });
  });
  const before = builder.finish();
  const result = symbolize(before, sourcesOf(store), scene.force ?? false);
  checkProfile(result.profile);
  store.close();
  return { ...result, before };
}

/** "function file:line start" of every line, innermost first, by location. */
function linesOf({ locations, functions: table, strings }: Profile): string[][] {
  return Array.from({ length: locations.length }, (_, row) => {
    const { lineStart, lines } = locations;
    return Array.from({ length: lineStart[row + 1]! - lineStart[row]! }, (_line, index) => {
      const line = lineStart[row]! + index;
      const each = lines.function[line]!;
      const place = `${stringAt(strings, table.filename[each]!)}:${lines.line[line]}`;
      return `${stringAt(strings, table.name[each]!)} ${place} ${table.startLine[each]}`;
    });
  });
}

const outer = 'main.outer /src/main.go';
const inlined = ['main.inner /src/main.go:50 49', `${outer}:10 9`];

test('locations get their lines, inlined calls innermost first', (t) => {
  const { profile, before } = run(t, { addresses: [0x401100, 0x401110, 0x401118] });
  assert.deepEqual(linesOf(profile), [[`${outer}:10 9`], inlined, [`${outer}:12 9`]]);
  assert.equal(stringAt(profile.strings, profile.functions.systemName[0]!), 'main.outer');
  assert.deepEqual(linesOf(before), [[], [], []], 'the input stays as it was');
});

test('a PIE is found through its mapping', (t) => {
  const { profile } = run(t, { addresses: [0x7f0000001110n], binary: { positionIndependent: true } });
  assert.deepEqual(linesOf(profile), [inlined]);
});

test('a profile without mappings has the addresses of the one binary', (t) => {
  const { profile } = run(t, { addresses: [0x401110], mapping: 'none' });
  assert.deepEqual(linesOf(profile), [inlined]);
});

test('what no function holds stays without lines, by reason', (t) => {
  const { profile, report } = run(t, { addresses: [0x401100, 0x401128, 0x401005, 0x400000, 0x401f00] });
  assert.deepEqual(linesOf(profile), [[`${outer}:10 9`], [], [], [], []]);
  assert.deepEqual(report.mappings, [
    {
      file: '/srv/app',
      buildId: '',
      sources: ['gopclntab'],
      gives: ['inlines', 'lines', 'start_lines'],
      locations: 5,
      kept: 0,
      symbolized: 1,
      reasons: { no_function: 1, outside_binary: 2, padding: 1 },
    },
  ]);
});

test('a binary of another build is refused with both IDs', (t) => {
  const { profile, before, report, warnings } = run(t, { addresses: [0x401100], mapping: { buildId: 'ffff' } });
  assert.equal(profile, before);
  assert.deepEqual(report.mappings[0]!.reasons, { build_id_differs: 1 });
  assert.equal(warnings.length, 1);
  assert.equal(warnings[0]!.code, 'build_id_differs');
  assert.match(warnings[0]!.message, /build id abcd, \/srv\/app has ffff/);
});

test('a library that is not there is counted without a warning', (t) => {
  const { report, warnings } = run(t, {
    addresses: [0x401100],
    mapping: { filename: '[vdso]' },
  });
  assert.deepEqual(report.mappings[0]!.reasons, { no_binary: 1 });
  assert.deepEqual(warnings, []);
});

test('a spoilt table is said once, and costs only the functions it belongs to', (t) => {
  const { profile, report, warnings } = run(t, { addresses: [0x401100, 0x401130, 0x401131] });
  assert.deepEqual(linesOf(profile), [[`${outer}:10 9`], [], []]);
  assert.deepEqual(report.mappings[0]!.reasons, { spoilt_table: 2 });
  assert.equal(new Set(warnings.map(({ code }) => code)).size, 1);
  assert.match(warnings[0]!.message, /app: inline tree\+0x/);
});

test('a table that cannot be opened leaves the profile as it was', (t) => {
  const { profile, before, warnings } = run(t, {
    addresses: [0x401100],
    binary: { spoil: (table) => table.fill(0xff, 8, 16) },
  });
  assert.equal(profile, before);
  assert.match(warnings[0]!.message, /\.gopclntab.*value does not fit/);
});

test('a table for unknown pointers is said to be unsupported, not spoilt', (t) => {
  const { report, warnings } = run(t, { addresses: [0x401100], binary: { spoil: (table) => table.set([6], 7) } });
  assert.deepEqual(report.mappings[0]!.reasons, { unsupported_table: 1 });
  assert.match(warnings[0]!.message, /pointers of 6/);
});

test('lines that are there are kept', (t) => {
  const known = { 4198656: 'known', 4198696: 'known too' };
  const { profile, before, report } = run(t, { addresses: [0x401100, 0x401128], known });
  assert.equal(profile, before);
  assert.equal(report.mappings[0]!.kept, 2);
});

test('force replaces lines where the binary knows the address, and keeps them elsewhere', (t) => {
  const known = { 4198656: 'known', 4198696: 'known too' };
  const { profile, report } = run(t, { addresses: [0x401100, 0x401128], known, force: true });
  assert.deepEqual(linesOf(profile), [[`${outer}:10 9`], ['known too k.go:1 0']]);
  assert.equal(report.mappings[0]!.symbolized, 1);
  assert.equal(report.mappings[0]!.kept, 1);
});

test('symbolizing twice changes nothing', (t) => {
  const { profile } = run(t, { addresses: [0x401100, 0x401110] });
  assert.equal(symbolize(profile, sourcesOf(createBinaryStore()), false).profile, profile);
});

test('a mapping is flagged when all of its locations were symbolized, and only then', (t) => {
  const all =
    MappingFlag.hasFunctions | MappingFlag.hasFilenames | MappingFlag.hasLineNumbers | MappingFlag.hasInlineFrames;
  assert.equal(run(t, { addresses: [0x401100, 0x401110] }).profile.mappings.flags[0], all);
  assert.equal(run(t, { addresses: [0x401100, 0x401128] }).profile.mappings.flags[0], 0);
});

test('the share of values counts leaf and whole stack', (t) => {
  const { report } = run(t, { addresses: [0x401100, 0x401128] });
  assert.deepEqual(report.samples, [{ valueType: 'cpu/nanoseconds', samples: 2, total: 201n, leaf: 100n, all: 100n }]);
});

test('the kernel by its list, code made at run time by its maps; never where maps differ, or a binary knows better', (t) => {
  const { bytes } = buildGoBinary({ functions, gnuBuildId: 'abcd' });
  const store = createBinaryStore();
  store.add([writeInto(temporaryFolder(t), 'app', bytes)]);
  const builder = new ProfileBuilder({ sampleTypes: [{ type: 'cpu', unit: 'nanoseconds' }] });
  const app = builder.mapping({ memoryStart: 0x401000n, memoryLimit: 0x402000n, filename: '/app', buildId: 'abcd' });
  const anonymous = builder.mapping({ memoryStart: 0x7f0000n, memoryLimit: 0x7f1000n, filename: '//anon' });
  const kernel = builder.mapping({ filename: '[kernel.kallsyms]_stext' });
  const stack = [
    builder.location({ mapping: kernel, address: 0xffffffff81000004n }),
    builder.location({ mapping: kernel, address: 0xffffffff80000000n }),
    builder.location({ mapping: anonymous, address: 0x7f0008n }),
    builder.location({ mapping: anonymous, address: 0x7f0018n }),
    builder.location({ address: 0x7f0028n }),
    builder.location({ mapping: app, address: 0x401100n }),
  ];
  builder.addSample({ stack, values: [1] });
  const names = new RuntimeNames(readKallsyms(Buffer.from('ffffffff81000000 T sys_read\n')), [
    readPerfMap(Buffer.from('7f0000 20 js:f\n401000 1000 wrong\n')),
    readPerfMap(Buffer.from('7f0010 10 other\n7f0020 10 js:g\n')),
  ]);
  const { profile, report } = symbolize(builder.finish(), sourcesOf(store, names), false);
  const found = linesOf(profile).map(([line]) => line?.split(' ')[0]);
  assert.deepEqual(found, ['sys_read', undefined, 'js:f', undefined, 'js:g', 'main.outer']);
  const byFile = new Map(report.mappings.map((mapping) => [mapping.file, mapping]));
  assert.deepEqual(byFile.get('[kernel.kallsyms]_stext')?.sources, ['kallsyms']);
  assert.deepEqual(byFile.get('//anon')?.reasons, { several_processes: 1 });
  assert.deepEqual(byFile.get('')?.sources, ['perf_map']);
});
