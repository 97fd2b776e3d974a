/**
 * Frames of Go 1.2 … 1.15, with debug information and stripped, against `go tool addr2line` of that Go: function around an address, and
 * file and line of the innermost call; of 1.11 … 1.15 the inlined calls against DWARF as llvm-symbolizer reads it. Toolchains of these
 * are on few machines: see test/helpers/early-go.ts. PROFPIPE_GO_VERSIONS=all runs every version and system.
 */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import type { Binary } from '../../core/binary/binary.js';
import { openBinary } from '../../core/binary/open.js';
import type { GoFrame } from '../../core/formats/gopclntab/table.js';
import { askEarlyGo, buildEarlyGo, type EarlyBuild, earlyGoRoot, earlyGoVersions } from '../helpers/early-go.js';
import { goTool, hasTool } from '../helpers/go-toolchain.js';

const source = readFileSync(fileURLToPath(new URL('../../../test/live/testdata/early.go', import.meta.url)), 'utf8');
const ADDRESSES = 12_000;

interface Target extends Omit<EarlyBuild, 'version'> {
  /** First minor version that builds for it without more than its own folder. */
  readonly since: number;
}

const targets: readonly Target[] = [
  { system: 'linux', architecture: 'amd64', since: 2 },
  { system: 'linux', architecture: 'amd64', since: 8, flags: ['-buildmode=pie'] },
  { system: 'linux', architecture: 'arm64', since: 5 },
  { system: 'linux', architecture: '386', since: 5 },
  { system: 'linux', architecture: 'arm', since: 5 },
  { system: 'darwin', architecture: 'amd64', since: 6 },
  { system: 'windows', architecture: 'amd64', since: 5 },
];
const all = process.env.PROFPIPE_GO_VERSIONS === 'all';
/** One of each kind of table; the other systems' libraries have to be compiled first. */
const few = new Set(['1.4.3', '1.9.7', '1.11.13', '1.12.17', '1.15.15']);

for (const version of earlyGoVersions) {
  const minor = Number(version.split('.')[1]);
  const skip = earlyGoRoot(version) === undefined ? `NOT RUN: no Go ${version} on this machine` : false;
  for (const [row, { since, ...target }] of targets.entries()) {
    if (minor < since || (!all && (row > 0 || !few.has(version)))) continue;
    const name = [version, target.system, target.architecture, ...(target.flags ?? [])].join(' ');
    test(`go${name}: functions and lines are those of go tool addr2line`, { skip }, (t) => {
      const build = { version, ...target };
      const complete = openBinary(buildEarlyGo(build, source));
      const stripped = openBinary(
        buildEarlyGo({ ...build, flags: [...(target.flags ?? []), '-ldflags=-s -w'] }, source),
      );
      const { go } = complete;
      assert.ok(go && stripped.go);
      assert.deepEqual(functionsOf(stripped), functionsOf(complete));
      const addresses = evenly(go.textStart, go.textEnd);
      const absolute = addresses.map((address) => complete.imageBase + BigInt(address));
      const theirs =
        target.flags === undefined ? askEarlyGo(version, complete.path, absolute) : askLaterGo(complete.path, absolute);
      const seen = { same: 0, padding: 0, lastFile: 0 };
      addresses.forEach((address, index) => {
        const frames = go.frames(address);
        assert.deepEqual(stripped.go!.frames(address), frames);
        seen[likeGo(frames, theirs[index]!, minor)]++;
      });
      t.diagnostic(`${addresses.length} addresses: ${JSON.stringify(seen)}`);
      assert.ok(addresses.length > 10_000);
      assert.ok(seen.same > 0.95 * addresses.length);
      if (minor >= 11 && target.system === 'linux') compareInlined(complete, addresses, absolute);
    });
  }
}

/** Of a PIE these versions' own tool knows nothing; later ones read their tables too. */
function askLaterGo(path: string, addresses: readonly bigint[]): string[] {
  const input = addresses.map((address) => `0x${address.toString(16)}\n`).join('');
  const lines = goTool('1.22.12', ['addr2line', path], input).trimEnd().split('\n');
  return addresses.map((_, row) => `${lines[2 * row]}\n${lines[2 * row + 1]}`);
}

function likeGo(frames: readonly GoFrame[], theirs: string, minor: number): 'same' | 'padding' | 'lastFile' {
  const [innermost] = frames;
  if (innermost === undefined) return 'padding';
  const name = frames.at(-1)!.function;
  const mine = `${name}\n${innermost.file}:${innermost.line}`;
  if (mine === theirs) return 'same';
  // Up to 1.6 it takes the last file of the table for none: the number of files leaves itself out.
  const withoutFile = [`${name}\n:${innermost.line}`, `${name}\n??:0`];
  if (minor <= 6 && withoutFile.includes(theirs)) return 'lastFile';
  assert.fail(`${JSON.stringify(mine)} here, ${JSON.stringify(theirs)} there`);
}

function compareInlined({ path, go }: Binary, addresses: readonly number[], absolute: readonly bigint[]): void {
  if (!hasTool('llvm-symbolizer')) return;
  const { stdout } = spawnSync('llvm-symbolizer', [`--obj=${path}`, '--inlines', '--output-style=JSON'], {
    input: absolute.map((address) => `0x${address.toString(16)}`).join('\n'),
    encoding: 'utf8',
    maxBuffer: 2 ** 28,
  });
  const lines = stdout.trimEnd().split('\n');
  const different: string[] = [];
  let inlined = 0;
  addresses.forEach((address, row) => {
    const frames = go!.frames(address);
    if (frames.length === 0 || frames.some(({ file }) => file === '<autogenerated>')) return;
    if (frames.length > 1) inlined++;
    const { Symbol: symbols } = JSON.parse(lines[row]!) as {
      Symbol: { FunctionName: string; FileName: string; Line: number }[];
    };
    const theirs = symbols.map(({ FunctionName, FileName, Line }) => `${FunctionName} ${FileName}:${Line}`);
    // DWARF has `.` for `·`.
    const mine = frames.map((each) => `${each.function.replaceAll('·', '.')} ${each.file}:${each.line}`);
    if (mine.join() !== theirs.join()) different.push(`0x${absolute[row]!.toString(16)} ${mine} | ${theirs}`);
  });
  assert.ok(inlined > 500);
  assert.ok(different.length < 0.005 * addresses.length, different.slice(0, 10).join('\n'));
}

function functionsOf({ go }: Binary): string[] {
  return Array.from({ length: go!.length }, (_, index) => `${go!.entry(index)} ${go!.name(index)}`);
}

/** At an odd distance, so that addresses within instructions come too. */
function evenly(start: number, end: number): number[] {
  const step = Math.max(1, Math.floor((end - start) / ADDRESSES)) | 1;
  return Array.from({ length: Math.floor((end - start) / step) }, (_, row) => start + row * step);
}
