/**
 * What `pipe binary symbolize` takes as a whole process beside llvm-symbolizer, GNU addr2line, the binary of the Rust crate addr2line
 * and `go tool addr2line`, on the same addresses. PROFPIPE_BENCH_BINARIES names further files, separated by ":".
 */
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { hasTool } from '../helpers/go-toolchain.js';
import { crateBinary } from '../helpers/symbolizers.js';
import { textAddresses } from '../helpers/text-addresses.js';
import { cacheFolder } from './corpus.js';
import { median, runProcess } from './measure.js';

const ROUNDS = 5;
const COUNTS = [1, 20_000];

interface Contender {
  readonly name: string;
  readonly command: (path: string) => readonly string[];
  /** Most that we may take of its time for many addresses, by issue 4: of Go, of C++, of Rust. */
  readonly wanted?: string;
}

const ours: Contender = {
  name: 'profpipe',
  command: (path) => [process.execPath, 'dist/core/cli/bin.js', 'binary', 'symbolize', path, '--json'],
};
const peers: readonly Contender[] = [
  {
    name: 'llvm-symbolizer',
    command: (path) => ['llvm-symbolizer', `--obj=${path}`, '--inlines', '--output-style=JSON'],
    wanted: 'Go 0.5, C++ 0.75, Rust 0.6',
  },
  { name: 'addr2line', command: (path) => ['addr2line', '-a', '-f', '-i', '-e', path], wanted: 'C++ 1.25' },
  {
    name: 'crate',
    command: (path) => [crateBinary, '-a', '-f', '-i', '-e', path],
    wanted: 'Go 1, C++ 2.5, Rust 1.7',
  },
];
const native = peers.filter(({ command }) => hasTool(command('')[0]!));

/** Go's own compiler, with what its linker writes by itself. */
function goCompiler(flags: readonly string[], name: string): string {
  mkdirSync(cacheFolder, { recursive: true });
  const path = join(cacheFolder, name);
  execFileSync('go', ['build', ...flags, '-o', path, 'cmd/compile']);
  return path;
}

async function compare(path: string, contenders: readonly Contender[], folder: string): Promise<void> {
  console.log(`\n${basename(path)}, ${(statSync(path).size / 1e6).toFixed(0)} MB`);
  for (const count of COUNTS) {
    const input = join(folder, 'addresses.txt');
    writeFileSync(
      input,
      textAddresses(path, count)
        .map((address) => `0x${address.toString(16)}\n`)
        .join(''),
    );
    const costs = contenders.map(() => ({ ms: [] as number[], peakMiB: 0 }));
    for (let round = 0; round < ROUNDS; round++) {
      for (const [index, { command }] of contenders.entries()) {
        const { ms, peakMiB } = await runProcess('sh', ['-c', 'exec "$@" < "$0"', input, ...command(path)]);
        costs[index]!.ms.push(ms);
        costs[index]!.peakMiB = Math.max(costs[index]!.peakMiB, peakMiB);
      }
    }
    const own = median(costs[0]!.ms);
    for (const [index, { name, wanted = '' }] of contenders.entries()) {
      const ms = median(costs[index]!.ms);
      const ratio = index === 0 ? '' : (own / ms).toFixed(2);
      const limit = count > 1 ? wanted : '';
      const cells = [
        `${count}`.padStart(8),
        name.padEnd(18),
        ms.toFixed(0).padStart(7),
        costs[index]!.peakMiB.toFixed(0).padStart(6),
      ];
      console.log(`${cells.join(' ')} ${ratio.padStart(8)}   ${limit}`);
    }
  }
}

const debugLibstdcxx = '/usr/lib/x86_64-linux-gnu/debug/libstdc++.so.6';
const folder = mkdtempSync(join(tmpdir(), 'profpipe-bench-'));
try {
  console.log(
    `${'addresses'.padStart(8)} ${''.padEnd(17)} ${'wall ms'.padStart(7)} ${'MiB'.padStart(6)}  ours/its   limit`,
  );
  if (hasTool('go')) {
    await compare(goCompiler([], 'compile'), [ours, ...native], folder);
    const tool = execFileSync('go', ['tool', '-n', 'addr2line'], { encoding: 'utf8' }).trim();
    const goTool: Contender = { name: 'go tool addr2line', command: (path) => [tool, path], wanted: '2.5' };
    await compare(goCompiler(['-ldflags=-s -w'], 'compile-stripped'), [ours, goTool], folder);
  } else {
    console.log('NOT RUN: Go binaries, there is no go.');
  }
  const further = process.env.PROFPIPE_BENCH_BINARIES?.split(':') ?? [];
  for (const path of [debugLibstdcxx, crateBinary, ...further]) {
    if (existsSync(path)) await compare(path, [ours, ...native], folder);
    else console.log(`NOT RUN: no ${path}`);
  }
} finally {
  rmSync(folder, { recursive: true, force: true });
}
