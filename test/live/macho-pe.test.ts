/**
 * Frames of Go programs for macOS and Windows, with debug information and stripped, against `go tool addr2line` of the Go that built
 * them: function around an address, and file and line of the innermost call. PROFPIPE_GO_VERSIONS=all runs every version.
 */
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import type { Binary } from '../../core/binary/binary.js';
import { openBinary } from '../../core/binary/open.js';
import { SymbolChain } from '../../core/binary/symbols/chain.js';
import type { SymbolFrame } from '../../core/binary/symbols/source.js';
import { framesProgram, linkerFlags } from '../helpers/frames-program.js';
import { buildGo, type GoBuild, goTool, goVersions, hasTool } from '../helpers/go-toolchain.js';

const skip = hasTool('go') ? false : 'NOT RUN: no go on this machine';
const ADDRESSES = 12_000;
const totals = { addresses: 0, padding: 0 };
after(() => console.log(`# go tool addr2line: ${JSON.stringify(totals)}`));

interface Target {
  readonly system: NonNullable<GoBuild['system']>;
  readonly architecture: GoBuild['architecture'];
  /** First minor version of Go 1 that builds for it. */
  readonly since: number;
}

const targets: readonly Target[] = [
  { system: 'darwin', architecture: 'amd64', since: 16 },
  { system: 'darwin', architecture: 'arm64', since: 16 },
  { system: 'windows', architecture: 'amd64', since: 16 },
  { system: 'windows', architecture: 'arm64', since: 17 },
];

for (const version of goVersions(['1.17.13', '1.22.12', '1.27.2'])) {
  for (const { system, architecture, since } of targets) {
    if (Number(version.split('.')[1]) < since) continue;
    test(`go${version} ${system}/${architecture}: functions and lines are those of go tool addr2line`, { skip }, (t) => {
      const program = { version, system, architecture, program: framesProgram };
      const complete = openBuilt({ ...program, flags: [linkerFlags(version, '')] });
      const stripped = openBuilt({ ...program, flags: [linkerFlags(version, '-s -w')] });
      const { go } = complete;
      assert.ok(go && stripped.go);
      assert.deepEqual(entries(stripped), entries(complete));
      const addresses = evenly(go.textStart, go.textEnd, ADDRESSES);
      const wanted = askGo(
        version,
        complete.path,
        addresses.map((address) => complete.imageBase + BigInt(address)),
      );
      const answers = [complete, stripped].map(chainAnswers);
      addresses.forEach((address, row) => {
        const isPadding = address >= go.end(go.find(address));
        for (const answer of answers) {
          const frames = answer(address);
          if (isPadding && frames.length === 0) totals.padding++;
          else assert.equal(asOne(frames), wanted[row], `0x${address.toString(16)}`);
        }
      });
      totals.addresses += 2 * addresses.length;
      t.diagnostic(`${addresses.length} addresses`);
    });
  }
}

function openBuilt(build: GoBuild): Binary {
  const { path } = buildGo(build);
  return openBinary(path);
}

function entries({ go }: Binary): string[] {
  return Array.from({ length: go?.length ?? 0 }, (_, index) => `${go!.entry(index)} ${go!.name(index)}`);
}

/** At an odd distance, so that addresses within instructions come too. */
function evenly(start: number, end: number, count: number): number[] {
  const step = Math.floor((end - start) / count) | 1;
  return Array.from({ length: Math.floor((end - start) / step) }, (_, row) => start + row * step);
}

function chainAnswers(binary: Binary): (address: number) => readonly SymbolFrame[] {
  const chain = new SymbolChain(binary, (name) => name);
  return (address) => chain.lookup(address).frames ?? [];
}

/** As `go tool addr2line` prints it. */
function asOne(frames: readonly SymbolFrame[]): string {
  const [innermost] = frames;
  return innermost === undefined ? '?\n?:0' : `${frames.at(-1)!.function}\n${innermost.file}:${innermost.line}`;
}

function askGo(version: string, path: string, addresses: readonly bigint[]): string[] {
  const input = addresses.map((address) => `0x${address.toString(16)}\n`).join('');
  const lines = goTool(version, ['addr2line', path], input).trimEnd().split('\n');
  assert.equal(lines.length, 2 * addresses.length);
  return addresses.map((_, row) => `${lines[2 * row]}\n${lines[2 * row + 1]}`);
}
