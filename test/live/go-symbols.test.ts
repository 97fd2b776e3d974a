/**
 * Frames read from real Go binaries, against two that know better: the runtime inside the very binary, and DWARF as
 * llvm-symbolizer reads it. PROFPIPE_GO_VERSIONS=all runs every version and every way to link.
 */
import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { chmodSync, readFileSync } from 'node:fs';
import { type TestContext, test } from 'node:test';
import { openBinary } from '../../core/binary/open.js';
import type { GoFrame, GoTable } from '../../core/formats/gopclntab/table.js';
import { framesProgram, linkerFlags } from '../helpers/frames-program.js';
import { buildGo, goVersions, hasTool, noGo } from '../helpers/go-toolchain.js';
import { temporaryFolder, writeInto } from '../helpers/temporary.js';

const all = process.env.PROFPIPE_GO_VERSIONS === 'all';
const noGcc = hasTool('gcc') ? false : 'NOT RUN: no gcc on this machine';
const noSymbolizer = hasTool('llvm-symbolizer') ? false : 'NOT RUN: no llvm-symbolizer on this machine';
const notHere = process.arch === 'x64' && process.platform === 'linux' ? false : 'NOT RUN: runs on Linux on amd64 only';

/** [function, file, line], innermost first. */
type Frame = readonly [name: string, file: string, line: number];

/** How a program is linked, and whether it stays as the linker left it. */
const links: { readonly [name: string]: { flags: readonly string[]; cgo?: boolean; sectionless?: boolean } } = {
  stripped: { flags: [] },
  'linked by gcc as a PIE': { flags: ['-buildmode=pie', '-ldflags=-linkmode=external'], cgo: true },
  'without section table': { flags: [], sectionless: true },
  PIE: { flags: ['-buildmode=pie'] },
  'linked by gcc': { flags: ['-ldflags=-linkmode=external'], cgo: true },
};
const fewLinks = ['stripped', 'linked by gcc as a PIE', 'without section table'];

/** Checks of machine code begin with 1.17, tables that are read with 1.16. */
const versions = [...(all ? ['1.16.15'] : []), ...goVersions(['1.17.13', '1.22.12', '1.27.2'])];

for (const version of versions) {
  for (const [name, link] of Object.entries(links).filter(([each]) => all || fewLinks.includes(each))) {
    const skip = notHere || (link.cgo === true && noGcc) || noGo(version);
    test(`go${version}, ${name}: frames are those that the runtime itself gives`, { skip }, (t) => {
      const path = build(t, version, link);
      const { go } = openBinary(path);
      assert.ok(go);
      const pcs = samplePcs(go, 61);
      const entry = go.entry(findByName(go, 'main.main'));
      const answers = askRuntime(path, pcs, entry);
      const seen = { same: 0, padding: 0, wrapper: 0, nameless: 0 };
      pcs.forEach((pc, index) => {
        seen[likeRuntime(go.frames(pc), answers[index]!, `0x${pc.toString(16)}`)]++;
      });
      t.diagnostic(`${pcs.length} addresses: ${JSON.stringify(seen)}`);
      assert.ok(pcs.length > 10_000);
      assert.ok(seen.same > 0.9 * pcs.length);
      assert.ok(seen.wrapper < 0.03 * pcs.length);
      assert.ok(seen.nameless < 0.003 * pcs.length);
    });
  }
}

const targets = [
  ['linux', 'amd64'],
  ['linux', 'arm64'],
  ['darwin', 'amd64'],
  ['darwin', 'arm64'],
  ['windows', 'amd64'],
  ['windows', 'arm64'],
] as const;

for (const version of goVersions(['1.22.12', '1.27.2'])) {
  for (const [system, architecture] of targets) {
    test(`go${version} ${system}/${architecture}: frames are those of DWARF`, {
      skip: noSymbolizer || noGo(version),
    }, (t) => {
      // Of a compressed section's name Mach-O has no room for the end, and llvm-symbolizer does not find it.
      const flags = [linkerFlags(version, system === 'darwin' ? '-compressdwarf=false' : '')];
      const { path } = buildGo({ version, system, architecture, program: framesProgram, flags });
      const binary = openBinary(path);
      assert.ok(binary.go);
      const { go } = binary;
      const pcs = samplePcs(go, 64);
      const answers = askSymbolizer(
        path,
        pcs.map((pc) => binary.imageBase + BigInt(pc)),
      );
      const different: string[] = [];
      let looked = 0;
      pcs.forEach((pc, index) => {
        const frames = go.frames(pc);
        // In padding DWARF has the function before it.
        if (frames.length === 0) return;
        looked++;
        const mine = JSON.stringify(frames.map((frame) => likeDwarf([frame.function, frame.file, frame.line])));
        const theirs = JSON.stringify(answers[index]!.map(likeDwarf));
        if (mine !== theirs) different.push(`0x${pc.toString(16)} ${mine} ${theirs}`);
      });
      t.diagnostic(`${looked} addresses, ${different.length} differ`);
      assert.ok(looked > 10_000);
      assert.ok(different.length < 0.005 * looked, different.slice(0, 10).join('\n'));
    });
  }
}

function build(
  t: TestContext,
  version: string,
  link: { flags: readonly string[]; cgo?: boolean; sectionless?: boolean },
) {
  const own = link.flags.find((flag) => flag.startsWith('-ldflags='))?.slice('-ldflags='.length) ?? '';
  const flags = [...link.flags.filter((flag) => !flag.startsWith('-ldflags=')), linkerFlags(version, `-s -w ${own}`)];
  const { path } = buildGo({ version, architecture: 'amd64', program: framesProgram, flags, cgo: link.cgo ?? false });
  if (!link.sectionless) return path;
  const bytes = readFileSync(path);
  bytes.fill(0, 40, 48); // e_shoff
  bytes.fill(0, 60, 64); // e_shnum, e_shstrndx
  const copy = writeInto(temporaryFolder(t), 'sectionless', bytes);
  chmodSync(copy, 0o755);
  return copy;
}

/** Every `step`th address of the text. The runtime takes an address just before an entry for the next function's: left out. */
function samplePcs(go: GoTable, step: number): number[] {
  const pcs: number[] = [];
  for (let pc = go.textStart; pc < go.textEnd; pc += step) {
    const index = go.find(pc);
    if (index >= 0 && go.find(pc + 1) === index) pcs.push(pc);
  }
  return pcs;
}

function findByName(go: GoTable, name: string): number {
  for (let index = 0; index < go.length; index++) if (go.name(index) === name) return index;
  throw new Error(`${name} not found`);
}

function askRuntime(path: string, pcs: readonly number[], entry: number): Frame[][] {
  const input = pcs.map((pc) => pc - entry).join('\n');
  const output = execFileSync(path, { input, encoding: 'utf8', maxBuffer: 2 ** 28 });
  return output
    .trimEnd()
    .split('\n')
    .map((line) => {
      const [, ...fields] = line.split('\t');
      return Array.from({ length: fields.length / 3 }, (_, frame) => {
        const [name = '', file = '', number = ''] = fields.slice(3 * frame);
        return [shortened(name), file, Number(number)] as const;
      });
    });
}

/** What the runtime is known to do differently; anything else fails. */
function likeRuntime(frames: readonly GoFrame[], theirs: readonly Frame[], place: string) {
  const mine = frames.map((frame): Frame => [shortened(frame.function), frame.file, frame.line]);
  if (equal(mine, theirs)) return 'same';
  // It still names the function in the padding behind it, without a place.
  if (mine.length === 0 && theirs.length === 1 && theirs[0]![2] === 0) return 'padding';
  // It leaves out a wrapper around an inlined method.
  if (mine.length > 1 && equal(mine.slice(0, -1), theirs)) return 'wrapper';
  // It takes the first name of all, at offset 0, for none.
  const named = mine.map(([name, ...rest], index): Frame => [theirs[index]?.[0] === '' ? '' : name, ...rest]);
  if (equal(named, theirs)) return 'nameless';
  assert.fail(`${place}: ${JSON.stringify(mine)} here, ${JSON.stringify(theirs)} in the runtime`);
}

function equal(a: readonly Frame[], b: readonly Frame[]): boolean {
  return JSON.stringify(a) === JSON.stringify(b);
}

/** Type arguments as runtime.Frame has them. */
function shortened(name: string): string {
  const start = name.indexOf('[');
  const end = name.lastIndexOf(']');
  return start < 0 || end < start ? name : `${name.slice(0, start)}[...]${name.slice(end + 1)}`;
}

function askSymbolizer(path: string, addresses: readonly bigint[]): Frame[][] {
  const { stdout } = spawnSync('llvm-symbolizer', [`--obj=${path}`, '--inlines', '--output-style=JSON'], {
    input: addresses.map((address) => `0x${address.toString(16)}`).join('\n'),
    encoding: 'utf8',
    maxBuffer: 2 ** 28,
  });
  return stdout
    .trimEnd()
    .split('\n')
    .map((line) => {
      const { Symbol: frames } = JSON.parse(line) as {
        Symbol: { FunctionName: string; FileName: string; Line: number }[];
      };
      return frames.map(({ FunctionName, FileName, Line }) => [FunctionName, FileName, Line] as const);
    });
}

/** DWARF writes `·` as `.`, and says which calling convention a function has. What the compiler made has no true place in it. */
function likeDwarf([name, file, line]: Frame): Frame {
  const isGenerated = file === '' || file.endsWith('<autogenerated>');
  const plainName = shortened(name.replaceAll('·', '.')).replace(/\.abi(0|internal)$/, '');
  return isGenerated ? [plainName, '', 0] : [plainName, file.replace(/^(\.\/)+/, ''), line];
}
