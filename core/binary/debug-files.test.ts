import assert from 'node:assert/strict';
import { mkdirSync, symlinkSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { crc32 } from 'node:zlib';
import { ByteWriter } from '../../test/helpers/bytes.js';
import { buildElf, buildNote, flags, type SectionSpec, symbolSections } from '../../test/helpers/elf.js';
import { temporaryFolder, writeInto } from '../../test/helpers/temporary.js';
import { SectionType } from '../formats/elf/section.js';
import { Budget } from '../formats/limits.js';
import type { Binary } from './binary.js';
import type { DebugSearch } from './debug-files.js';
import { openBinary } from './open.js';

const text: SectionSpec = { name: '.text', flags: flags.allocatedCode, virtualAddress: 0x1000n, size: 64 };
const buildId = (hex: string): SectionSpec => ({
  name: '.note.gnu.build-id',
  type: SectionType.note,
  bytes: buildNote('GNU', 3, Buffer.from(hex, 'hex')),
});
const info = (content: string): SectionSpec => ({ name: '.debug_info', bytes: Buffer.from(content) });
const debugLink = (name: string, crc: number): SectionSpec => ({
  name: '.gnu_debuglink',
  bytes: new ByteWriter().cstring(name).align(4).u32(crc).finish(),
});
const alternateLink = (path: string, hex: string): SectionSpec => ({
  name: '.gnu_debugaltlink',
  bytes: new ByteWriter().cstring(path).append(Buffer.from(hex, 'hex')).finish(),
});

/** A program of which `sections` is the rest, beside its code. */
const program = (...sections: SectionSpec[]) =>
  buildElf({
    segments: [{ flags: flags.code, virtualAddress: 0x1000n, bytes: new Uint8Array(64) }],
    sections: [text, ...sections],
  });
/** As `objcopy --only-keep-debug` leaves it: sections of the program have no bytes. */
const debugFile = (...sections: SectionSpec[]) =>
  buildElf({ sections: [{ ...text, type: SectionType.nobits }, ...sections] });

/** `debugFile(...symbolSections([{ name: 'inner', value: 0x1010, size: 8 }]))` by `xz -9`. */
const packedSymbols = Buffer.from(
  '/Td6WFoAAATm1rRGAgAhARwAAAAQz1jM4AHXAHNdAD+RRYRoPYmm2orMk+JO8e462h0OnXArqbRbKZbabpGJPZJsKWpEl7QFjpUyMYIXMW42HSNbOpCWorh2OmG+B+4CBIFUHoO3J7rfTqctbtdnHy1+BX2qamOtfe3kea3XH0glA3eqV8OZx71XbKTVraeubGUAANjtoOaDJlV6AAGPAdgDAABPdHXwscRn+wIAAAAABFla',
  'base64',
);

function folderOf(t: TestContext, files: { readonly [path: string]: Uint8Array }): string {
  const folder = temporaryFolder(t);
  for (const [path, bytes] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeInto(folder, path, bytes);
  }
  return folder;
}

function open(path: string, search: DebugSearch = { folders: [] }): Binary {
  return openBinary(path, new Budget(), search);
}

function contentOf(binary: Binary, name = '.debug_info'): string | undefined {
  const source = binary.debug.section(name);
  return source && Buffer.from(source.read(0, source.size, name)).toString();
}

test('a file with debug information of its own asks no other', (t) => {
  const folder = folderOf(t, {
    app: program(buildId('aabbcc'), info('own')),
    'debug/.build-id/aa/bbcc.debug': debugFile(buildId('aabbcc'), info('other')),
  });
  assert.equal(contentOf(open(join(folder, 'app'), { folders: [join(folder, 'debug')] })), 'own');
});

test('a debug file is found by build ID, with its symbols', (t) => {
  const symbols = symbolSections([{ name: 'main', value: 0x1010, size: 8 }]);
  const folder = folderOf(t, {
    app: program(buildId('aabbcc')),
    'debug/.build-id/aa/bbcc.debug': debugFile(...symbols, buildId('aabbcc'), info('split')),
  });
  const binary = open(join(folder, 'app'), { folders: [join(folder, 'none'), join(folder, 'debug')] });
  assert.equal(contentOf(binary), 'split');
  assert.equal(binary.symbolTables[0]?.find(0x10)?.name, 'main');
  assert.deepEqual(binary.refusals, []);
  assert.ok(binary.heldBytes > 0);
  binary.release();
  assert.equal(binary.heldBytes, 0);
  assert.equal(contentOf(binary), 'split');
  assert.equal(binary.symbolTables[0]?.find(0x10)?.name, 'main');
});

test('one with another build ID is refused, and both are named', (t) => {
  const folder = folderOf(t, {
    app: program(buildId('aabbcc')),
    'debug/.build-id/aa/bbcc.debug': debugFile(buildId('aabbdd'), info('other')),
  });
  const binary = open(join(folder, 'app'), { folders: [join(folder, 'debug')] });
  assert.equal(contentOf(binary), undefined);
  assert.match(binary.refusals.join(), /bbcc\.debug has build id aabbdd, wanted is aabbcc: not used/);
});

test('a debug file is found by its link: beside the program, in .debug, and beneath the folders', (t) => {
  const debug = debugFile(info('linked'));
  const app = program(debugLink('app.debug', crc32(debug)));
  for (const place of ['bin/app.debug', 'bin/.debug/app.debug', 'beneath']) {
    const folder = temporaryFolder(t);
    const where = place === 'beneath' ? join('debug', folder, 'bin', 'app.debug') : place;
    for (const [path, bytes] of [
      ['bin/app', app],
      [where, debug],
    ] as const) {
      mkdirSync(dirname(join(folder, path)), { recursive: true });
      writeInto(folder, path, bytes);
    }
    assert.equal(contentOf(open(join(folder, 'bin/app'), { folders: [join(folder, 'debug')] })), 'linked', place);
    symlinkSync(join(folder, 'bin/app'), join(folder, 'link'));
    assert.equal(contentOf(open(join(folder, 'link'), { folders: [join(folder, 'debug')] })), 'linked', place);
  }
});

test('a linked file with another checksum, or another build ID, is refused', (t) => {
  const debug = debugFile(info('linked'), buildId('ffff'));
  const folder = folderOf(t, {
    one: program(debugLink('x.debug', 1)),
    two: program(debugLink('x.debug', crc32(debug)), buildId('eeee')),
    'x.debug': debug,
  });
  const one = open(join(folder, 'one'));
  assert.equal(contentOf(one), undefined);
  assert.match(one.refusals.join(), /x\.debug has checksum 0x[0-9a-f]+, its link says 0x1: not used/);
  const two = open(join(folder, 'two'));
  assert.equal(contentOf(two), undefined);
  assert.match(two.refusals.join(), /build id ffff, wanted is eeee/);
});

test('a spoilt debug file, or a link to the file itself, is passed over', (t) => {
  const own = program(buildId('aabbcc'), debugLink('app', 0));
  const folder = folderOf(t, { app: own, 'debug/.build-id/aa/bbcc.debug': Buffer.from('\x7fELF\x02\x01') });
  const binary = open(join(folder, 'app'), { folders: [join(folder, 'debug')] });
  assert.equal(contentOf(binary), undefined);
  assert.match(binary.refusals.join(), /bbcc\.debug: ELF header/);
});

test('symbols within the file itself, packed by xz, are read; spoilt ones are said', (t) => {
  const folder = folderOf(t, {
    app: program(
      { name: '.gnu_debugdata', bytes: packedSymbols },
      ...symbolSections([{ name: 'exported', value: 0x1000, size: 8 }], 'dynsym'),
    ),
    spoilt: program({ name: '.gnu_debugdata', bytes: packedSymbols.subarray(0, 50) }),
  });
  const binary = open(join(folder, 'app'));
  assert.deepEqual(
    [0x0, 0x10].map((address) => binary.symbolTables.map((table) => table.find(address)?.name)),
    [
      [undefined, 'exported'],
      ['inner', undefined],
    ],
  );
  const spoilt = open(join(folder, 'spoilt'));
  assert.deepEqual(spoilt.symbolTables, []);
  assert.match(spoilt.refusals.join(), /spoilt:\.gnu_debugdata: \.gnu_debugdata\+0x/);
});

test('the alternate file is found from the file that refers to it, or by build ID', (t) => {
  const folder = folderOf(t, {
    'bin/app': program(info('own'), alternateLink('../dwz/common', 'abcdef')),
    'dwz/common': debugFile(buildId('abcdef'), info('common')),
    'bin/lost': program(info('own'), alternateLink('/nowhere/common', 'abcdef')),
    'debug/.build-id/ab/cdef.debug': debugFile(buildId('abcdef'), info('by id')),
    'bin/wrong': program(info('own'), alternateLink('../dwz/common', 'ffff')),
  });
  const alternateOf = (name: string) => {
    const binary = open(join(folder, 'bin', name), { folders: [join(folder, 'debug')] });
    const source = binary.debug.alternate?.section('.debug_info');
    return source ? Buffer.from(source.read(0, source.size, 'info')).toString() : binary.refusals.join();
  };
  assert.equal(alternateOf('app'), 'common');
  assert.equal(alternateOf('lost'), 'by id');
  assert.match(alternateOf('wrong'), /build id abcdef, wanted is ffff/);
});

test('split files are found where they were compiled, or beside the program; a package beside it', (t) => {
  const dwo = (content: string) => debugFile({ name: '.debug_info.dwo', bytes: Buffer.from(content) });
  const folder = folderOf(t, {
    'bin/app': program(info('skeletons')),
    'bin/app.dwp': dwo('package'),
    'src/out/a.dwo': dwo('a'),
    'bin/b.dwo': dwo('b'),
    'src/c.dwo': Buffer.from('no ELF'),
  });
  const { debug } = open(join(folder, 'bin/app'));
  const split = (name: string, from = join(folder, 'src')) => {
    const source = debug.splitFile?.(name, from)?.section('.debug_info.dwo');
    return source && Buffer.from(source.read(0, source.size, 'info')).toString();
  };
  assert.equal(split('out/a.dwo'), 'a');
  assert.equal(split('out/b.dwo', '/nowhere'), 'b');
  assert.equal(split(join(folder, 'src/out/a.dwo'), '/nowhere'), 'a');
  assert.equal(split('c.dwo'), undefined);
  assert.equal(split('none.dwo'), undefined);
  const packaged = debug.splitPackage?.section('.debug_info.dwo');
  assert.equal(packaged && Buffer.from(packaged.read(0, packaged.size, 'info')).toString(), 'package');
});
