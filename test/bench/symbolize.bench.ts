/**
 * What symbolizing takes as a whole process, Node's start in it: `pipe binary symbolize` beside llvm-symbolizer, GNU addr2line, the binary of
 * the Rust crate addr2line and `go tool addr2line`, on the same addresses; one address of a large file; a profile in `pipe run`. The
 * wanted figures are those of issue 4. PROFPIPE_BENCH_BINARIES names further files, separated by ":", each by its path or as "C++=PATH",
 * "Rust=PATH", for what is wanted of its language.
 */
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { hasTool } from '../helpers/go-toolchain.js';

import { crateBinary } from '../helpers/symbolizers.js';
import { textAddresses } from '../helpers/text-addresses.js';
import { cacheFolder } from './corpus.js';
import { median, type ProcessCost, runProcess } from './measure.js';
import { unsymbolizedProfile } from './unsymbolized.js';

const ROUNDS = 5;
const MANY = 20_000;
const ONE_ADDRESS_MS = 250;
const PROFILE_MS = 1000;
const PEAK_MIB = 250;

type Kind = 'Go' | 'stripped Go' | 'C++' | 'Rust' | 'large';

interface Contender {
  readonly name: string;
  readonly command: (path: string) => readonly string[];
  /** Most that we may take of its time for many addresses, by kind of binary. */
  readonly wanted: { readonly [kind in Kind]?: number };
}

const pipe = [process.execPath, 'dist/core/cli/bin.js'];
const ours: Contender = {
  name: 'profpipe',
  command: (path) => [...pipe, 'binary', 'symbolize', path, '--json'],
  wanted: {},
};
const native: readonly Contender[] = [
  {
    name: 'llvm-symbolizer',
    command: (path) => ['llvm-symbolizer', `--obj=${path}`, '--inlines', '--output-style=JSON'],
    wanted: { Go: 0.5, 'C++': 0.75, Rust: 0.6 },
  },
  { name: 'addr2line', command: (path) => ['addr2line', '-a', '-f', '-i', '-e', path], wanted: { 'C++': 1.25 } },
  {
    name: 'crate',
    command: (path) => [crateBinary, '-a', '-f', '-i', '-e', path],
    wanted: { Go: 1, 'C++': 2.5, Rust: 1.7 },
  },
];
const peers = native.filter(({ command }) => hasTool(command('')[0]!));

/** Go's own compiler, with what its linker writes by itself. */
function goCompiler(flags: readonly string[], name: string): string {
  mkdirSync(cacheFolder, { recursive: true });
  const path = join(cacheFolder, name);
  execFileSync('go', ['build', ...flags, '-o', path, 'cmd/compile']);
  return path;
}

/** Each after the other in every round, so that a busy machine slows all of them. */
async function measure(calls: readonly (readonly string[])[]): Promise<ProcessCost[]> {
  const costs = calls.map((): ProcessCost[] => []);
  for (let round = 0; round < ROUNDS; round++) {
    for (const [index, [command, ...args]] of calls.entries()) costs[index]!.push(await runProcess(command!, args));
  }
  return costs.map((rounds) => ({
    ms: median(rounds.map(({ ms }) => ms)),
    peakMiB: Math.max(...rounds.map(({ peakMiB }) => peakMiB)),
  }));
}

function row(what: string, { ms, peakMiB }: ProcessCost, ratio: string, wanted: string): void {
  const figures = [ms.toFixed(0).padStart(7), peakMiB.toFixed(0).padStart(6), ratio.padStart(9)];
  console.log(`  ${what.padEnd(34)} ${figures.join(' ')}   ${wanted}`);
}

async function compare(path: string, kind: Kind, contenders: readonly Contender[], folder: string): Promise<void> {
  console.log(`${kind}: ${basename(path)}, ${(statSync(path).size / 1e6).toFixed(0)} MB`);
  for (const count of kind === 'large' ? [1] : [1, MANY]) {
    const input = join(folder, 'addresses.txt');
    const lines = textAddresses(path, count).map((address) => `0x${address.toString(16)}\n`);
    writeFileSync(input, lines.join(''));
    const calls = contenders.map(({ command }) => ['sh', '-c', 'exec "$@" < "$0"', input, ...command(path)]);
    const [own, ...theirs] = await measure(calls);
    const time = count === 1 ? `≤ ${ONE_ADDRESS_MS} ms, ` : '';
    row(`${count}  profpipe`, own!, '', `${time}≤ ${PEAK_MIB} MiB`);
    for (const [index, cost] of theirs.entries()) {
      const { name, wanted } = contenders[index + 1]!;
      const limit = count === 1 ? undefined : wanted[kind];
      row(`${count}  ${name}`, cost, (own!.ms / cost.ms).toFixed(2), limit === undefined ? '' : `≤ ${limit}`);
    }
  }
}

/** A profile whose locations have addresses of a binary and nothing else. */
async function runPipeline(path: string, folder: string): Promise<void> {
  const profile = join(folder, 'addresses.pb.gz');
  writeFileSync(profile, await unsymbolizedProfile(path, MANY));
  const pipeline = join(folder, 'symbolize.yml');
  const stages = [{ symbolize: { binaries: [path] } }];
  const output = [{ file: { path: join(folder, 'symbolized.pb.gz') } }];
  writeFileSync(pipeline, JSON.stringify({ name: 'bench', input: { file: { paths: [profile] } }, stages, output }));
  const [cost] = await measure([[...pipe, 'run', pipeline, '--quiet']]);
  console.log(`pipe run: a profile of ${MANY} locations`);
  row(basename(path), cost!, '', `≤ ${PROFILE_MS} ms`);
}

const debugLibstdcxx = '/usr/lib/x86_64-linux-gnu/debug/libstdc++.so.6';
const further = (process.env.PROFPIPE_BENCH_BINARIES?.split(':') ?? []).map((word): [Kind, string] => {
  const [, kind = 'C++', path] = /^(?:(C\+\+|Rust)=)?(.*)$/.exec(word)!;
  return [kind as Kind, path!];
});
const folder = mkdtempSync(join(tmpdir(), 'profpipe-bench-'));
try {
  console.log(`  ${'addresses'.padEnd(34)} ${'wall ms'.padStart(7)} ${'MiB'.padStart(6)}  ours/its   wanted`);
  if (hasTool('go')) {
    await compare(goCompiler([], 'compile'), 'Go', [ours, ...peers], folder);
    const stripped = goCompiler(['-ldflags=-s -w'], 'compile-stripped');
    const tool = execFileSync('go', ['tool', '-n', 'addr2line'], { encoding: 'utf8' }).trim();
    const goTool: Contender = {
      name: 'go tool addr2line',
      command: (path) => [tool, path],
      wanted: { 'stripped Go': 2.5 },
    };
    await compare(stripped, 'stripped Go', [ours, goTool], folder);
    await runPipeline(stripped, folder);
  } else {
    console.log('NOT RUN: Go binaries, there is no go.');
  }
  for (const [kind, path] of [['C++', debugLibstdcxx], ['Rust', crateBinary], ...further] as [Kind, string][]) {
    if (existsSync(path)) await compare(path, kind, [ours, ...peers], folder);
    else console.log(`NOT RUN: no ${path}`);
  }
  await compare(process.execPath, 'large', [ours, ...peers], folder);
} finally {
  rmSync(folder, { recursive: true, force: true });
}
