/**
 * Frames by DWARF and symbol tables, against what two of llvm-symbolizer, GNU addr2line and the Rust crate's binary agree on, for
 * programs built here by several compilers in many ways, and for libraries of the system with debug information.
 */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { copyFileSync, existsSync, rmSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { after, type TestContext, test } from 'node:test';
import type { Binary } from '../../core/binary/binary.js';
import { openBinary } from '../../core/binary/open.js';
import { openDwarfSource } from '../../core/binary/symbols/dwarf-source.js';
import { type Answers, chainAnswers, comparable, compareWithPeers, describeDifferences } from '../helpers/agreement.js';
import { framesProgram } from '../helpers/frames-program.js';
import { buildGo, goVersions, hasTool, noGo } from '../helpers/go-toolchain.js';
import { findSymbolizers, type PeerAnswer } from '../helpers/symbolizers.js';
import { temporaryFolder } from '../helpers/temporary.js';
import { textAddresses } from '../helpers/text-addresses.js';

const symbolizers = findSymbolizers();
const peers = symbolizers.map(({ name }) => name).join(', ');
const noPeers =
  symbolizers.length > 1 ? false : 'NOT RUN: it takes two of llvm-symbolizer, addr2line and its Rust crate';
const without = (...tools: string[]) => {
  const missing = tools.filter((tool) => !hasTool(tool));
  return missing.length === 0 ? noPeers : `NOT RUN: no ${missing.join(', ')} on this machine`;
};

/** Addresses of one file that are looked up. */
const MAX_ADDRESSES = 3_000;
/** Of the answers that two of the others agree on. */
const WANTED = 0.995;
/** llvm-symbolizer and addr2line leave out calls that were inlined in several places when they are in split units. */
const WANTED_OF_SPLIT = 0.98;
const totals = { addresses: 0, agreed: 0, same: 0 };
after(() => console.log(`# ${peers}: ${JSON.stringify(totals)}`));

const programs = resolve('test/live/programs');
const debugLibstdcxx = '/usr/lib/x86_64-linux-gnu/debug/libstdc++.so.6';
const libc = '/usr/lib/x86_64-linux-gnu/libc.so.6';

interface Build {
  readonly flags: string;
  /** Behind the build, in its folder: the program is `program`. */
  readonly afterwards?: (folder: string) => void;
  readonly needs?: readonly string[];
  readonly only?: 'gcc' | 'clang';
}

const builds: { readonly [name: string]: Build } = {
  'not optimized': { flags: '-O0' },
  'for debugging': { flags: '-Og' },
  'for size': { flags: '-Os' },
  optimized: { flags: '-O2' },
  'highly optimized': { flags: '-O3' },
  // The linker has no plugin for clang's intermediate files on many machines.
  'link-time optimized': { flags: '-O2 -flto', only: 'gcc' },
  'DWARF 2': { flags: '-O2 -gdwarf-2' },
  'DWARF 3': { flags: '-O2 -gdwarf-3' },
  'DWARF 4': { flags: '-O2 -gdwarf-4' },
  '64-bit DWARF': { flags: '-O2 -gdwarf64' },
  'units of types': { flags: '-O2 -fdebug-types-section' },
  'lines only': { flags: '-O2 -g1' },
  'zlib sections': { flags: '-O2 -gz=zlib' },
  'no PIE': { flags: '-O2 -no-pie' },
  split: { flags: '-O2 -gsplit-dwarf' },
  'split, DWARF 4': { flags: '-O2 -gsplit-dwarf -gdwarf-4' },
  // llvm-dwp 14 takes minutes for what gcc writes.
  packaged: { flags: '-O2 -gsplit-dwarf', afterwards: packageWith('llvm-dwp'), needs: ['llvm-dwp'], only: 'clang' },
  'packaged, DWARF 4': { flags: '-O2 -gsplit-dwarf -gdwarf-4', afterwards: packageWith('dwp'), needs: ['dwp'] },
};

for (const compiler of ['gcc', 'clang']) {
  for (const [name, { flags, afterwards, needs = [], only }] of Object.entries(builds)) {
    if (only !== undefined && compiler !== only) continue;
    test(`${compiler}, ${name}: frames are those that two others agree on`, {
      skip: without(compiler, ...needs),
    }, (t) => {
      const path = build(t, compiler, flags);
      afterwards?.(join(path, '..'));
      compare(t, path, { wanted: flags.includes('-gsplit-dwarf') ? WANTED_OF_SPLIT : WANTED });
    });
  }
}

test('what dwz moved to another file is found there', { skip: without('gcc', 'dwz') }, (t) => {
  const path = build(t, 'gcc', '-O2');
  const addresses = textAddresses(path, MAX_ADDRESSES);
  const before = chainAnswers(openBinary(path), addresses);
  copyFileSync(path, `${path}-2`);
  execute('dwz', ['-m', `${path}.alt`, path, `${path}-2`], join(path, '..'));
  assert.ok(openBinary(path).debug.alternate);
  assert.deepEqual(chainAnswers(openBinary(path), addresses), before);
});

test('sections that are compressed by zstd are read', { skip: without('gcc', 'objcopy') }, (t) => {
  const path = build(t, 'gcc', '-O2');
  const addresses = textAddresses(path, MAX_ADDRESSES);
  const before = chainAnswers(openBinary(path), addresses);
  const { status } = spawnSync('objcopy', ['--compress-debug-sections=zstd', path]);
  if (status !== 0) t.skip('NOT RUN: objcopy on this machine knows no zstd');
  else assert.deepEqual(chainAnswers(openBinary(path), addresses), before);
});

for (const [name, flags] of [
  ['not optimized', '-C opt-level=0'],
  ['optimized', '-C opt-level=3'],
  ['for size, link-time optimized', '-C opt-level=s -C lto=fat -C codegen-units=1'],
  ['with symbols by the newer scheme', '-C opt-level=2 -C symbol-mangling-version=v0'],
] as const) {
  test(`rustc, ${name}: frames are those that two others agree on`, { skip: without('rustc') }, (t) => {
    const folder = temporaryFolder(t);
    const path = join(folder, 'program');
    execute('rustc', ['-g', ...flags.split(' '), '-o', path, join(programs, 'words.rs')], folder);
    compare(t, path, { maxAddresses: 2 * MAX_ADDRESSES });
  });
}

for (const version of goVersions(['1.22.12', '1.27.2'])) {
  test(`go${version}: frames by DWARF are those that two others agree on`, { skip: noPeers || noGo(version) }, (t) => {
    const { path } = buildGo({ version, architecture: 'amd64', program: framesProgram });
    compare(t, path, { answers: dwarfAnswers });
  });
}

const noLibstdcxx = existsSync(debugLibstdcxx) ? noPeers : `NOT RUN: no ${debugLibstdcxx} (libstdc++6-12-dbg)`;
test('libstdc++: frames are those that two others agree on', { skip: noLibstdcxx }, (t) => {
  compare(t, debugLibstdcxx, { maxAddresses: 4 * MAX_ADDRESSES });
});

test('libc: frames are those that two others agree on', { skip: without('eu-unstrip') }, (t) => {
  const path = join(temporaryFolder(t), 'libc.so.6');
  const debugFile = debugFileOf(libc);
  if (debugFile === undefined) return t.skip(`NOT RUN: no debug information of ${libc} (libc6-dbg)`);
  execute('eu-unstrip', ['-f', '-o', path, libc, debugFile], '/');
  return compare(t, path, { maxAddresses: 4 * MAX_ADDRESSES });
});

function build(t: TestContext, compiler: string, flags: string): string {
  const folder = temporaryFolder(t);
  const all = ['-g', ...flags.split(' ')];
  execute(compiler, ['-std=gnu11', ...all, '-c', join(programs, 'steps.c')], folder);
  execute(compiler, ['-std=c++17', ...all, '-c', join(programs, 'containers.cc')], folder);
  execute(compiler, [...all, 'steps.o', 'containers.o', '-lstdc++', '-lm', '-o', 'program'], folder);
  return join(folder, 'program');
}

/** Makes a package of the split files, which are then removed. */
function packageWith(tool: string): (folder: string) => void {
  return (folder) => {
    execute(tool, ['-e', 'program', '-o', 'program.dwp'], folder);
    for (const name of ['steps.dwo', 'containers.dwo']) rmSync(join(folder, name));
  };
}

function execute(command: string, args: readonly string[], folder: string): void {
  const { status, stderr, error } = spawnSync(command, args, { cwd: folder, encoding: 'utf8' });
  assert.equal(status, 0, `${command} ${args.join(' ')}: ${error?.message ?? stderr}`);
}

interface Comparison {
  readonly maxAddresses?: number;
  readonly wanted?: number;
  readonly answers?: Answers;
}

function compare(
  t: TestContext,
  path: string,
  { maxAddresses = MAX_ADDRESSES, wanted: share = WANTED, answers = chainAnswers }: Comparison = {},
): void {
  const addresses = textAddresses(path, maxAddresses);
  const { agreed, different } = compareWithPeers(openBinary(path), addresses, symbolizers, answers);
  const same = agreed - different.length;
  totals.addresses += addresses.length;
  totals.agreed += agreed;
  totals.same += same;
  t.diagnostic(`${addresses.length} addresses, ${agreed} agreed on, ${different.length} differ`);
  if (agreed < 0.5 * addresses.length && symbolizers.length < 3) {
    t.skip(`NOT RUN: ${peers} agree on ${agreed} of ${addresses.length} here, a third would have to decide`);
    return;
  }
  assert.ok(agreed > 0.5 * addresses.length, `agreed on ${agreed} of ${addresses.length}`);
  assert.ok(same >= share * agreed, describeDifferences(different));
}

/** For Go, whose own table is asked before DWARF. */
function dwarfAnswers(binary: Binary, addresses: readonly bigint[]): PeerAnswer[] {
  const [source] = openDwarfSource(binary);
  assert.ok(source);
  return addresses.map((address) => comparable(source.framesAt(Number(address - binary.imageBase))));
}

function debugFileOf(path: string): string | undefined {
  if (!existsSync(path)) return undefined;
  const { gnuBuildId: id = '' } = openBinary(path);
  const debugFile = `/usr/lib/debug/.build-id/${id.slice(0, 2)}/${id.slice(2)}.debug`;
  return existsSync(debugFile) ? debugFile : undefined;
}
