/** Real profiles of stripped programs, through `pipe run`: what is marked is what `listChecks` says of the address, and nothing else. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { listChecks } from '../../core/binary/checks/list-checks.js';
import { openBinary } from '../../core/binary/open.js';
import { buildGo, goVersions, noGo } from '../helpers/go-toolchain.js';
import { root } from '../helpers/pipe.js';

const hot = readFileSync(join(root, 'test', 'live', 'programs', 'hot.go'), 'utf8');
const bin = join(root, 'dist', 'core', 'cli', 'bin.js');
const skip = process.arch === 'x64' && process.platform === 'linux' ? false : 'NOT RUN: runs on Linux on amd64 only';

interface JsonProfile {
  readonly mappings: readonly { readonly memoryStart: string; readonly fileOffset: string }[];
  readonly functions: readonly { readonly name: string }[];
  readonly locations: readonly {
    readonly address: string;
    readonly mapping?: number;
    readonly lines?: readonly { readonly function: number }[];
  }[];
  readonly samples: readonly { readonly stack: readonly number[]; readonly values: readonly number[] }[];
}

const builds: readonly { readonly name: string; readonly flags: readonly string[] }[] = [
  { name: 'stripped', flags: ['-ldflags=-s -w'] },
  { name: 'stripped position-independent', flags: ['-buildmode=pie', '-ldflags=-s -w'] },
];

for (const version of goVersions(['1.22.12', '1.27.2'])) {
  for (const { name, flags } of builds) {
    test(`go${version}: the profile of a ${name} program is marked at its checks only`, {
      skip: skip || noGo(version),
    }, (t) => {
      const folder = mkdtempSync(join(tmpdir(), 'profpipe-mark-'));
      t.after(() => rmSync(folder, { recursive: true }));
      const exe = buildGo({ version, architecture: 'amd64', program: { 'hot.go': hot }, flags }).path;
      execFileSync(exe, [join(folder, 'cpu.pb.gz')], { stdio: 'ignore' });
      writeFileSync(
        join(folder, 'mark.yml'),
        JSON.stringify({
          name: 'mark',
          input: { file: { paths: ['cpu.pb.gz'] } },
          stages: [{ mark: { binaries: [exe] } }],
          output: [{ file: { path: 'marked.json', codec: 'json' } }],
        }),
      );
      const summary = JSON.parse(
        execFileSync(process.execPath, [bin, 'run', join(folder, 'mark.yml'), '--json'], { encoding: 'utf8' }),
      );
      const marked: JsonProfile = JSON.parse(readFileSync(join(folder, 'marked.json'), 'utf8'));

      const binary = openBinary(exe);
      const kindAt = new Map(Array.from(listChecks(binary), ({ address, kind }) => [address, kind]));
      const samples = { boundcheck: 0, nilcheck: 0 };
      for (const { stack, values } of marked.samples) {
        stack.forEach((row, depth) => {
          const { address, mapping, lines = [] } = marked.locations[row]!;
          const innermost = marked.functions[lines[0]?.function ?? -1]?.name;
          const { memoryStart, fileOffset } = marked.mappings[mapping ?? -1] ?? { memoryStart: '0', fileOffset: '0' };
          const kind = kindAt.get(binary.imageBase + BigInt(address) - BigInt(memoryStart) + BigInt(fileOffset));
          const isAt = depth === 0 && mapping === 0 && kind !== undefined;
          assert.equal(
            innermost?.match(/^runtime\.(boundcheck|nilcheck)$/)?.[1],
            isAt ? kind : undefined,
            `${address} at depth ${depth}`,
          );
          if (isAt) samples[kind] += values[0]!;
        });
      }
      const { at, after, total } = summary.reports[0].json.types[0];
      t.diagnostic(`${at.samples} of ${total.samples} samples at checks, ${after.samples} behind one`);
      assert.equal(at.samples, samples.boundcheck + samples.nilcheck);
      assert.ok(at.samples + after.samples > 0);
    });
  }
}
