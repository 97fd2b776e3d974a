/**
 * What `mark` adds to a run on a large binary, and what the main job takes. The profile is Go's own compiler (about 25 MB) at work on
 * net/http.
 */
import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { cacheFolder } from './corpus.js';
import { median, runProcess } from './measure.js';

const ROUNDS = 5;

/** Kept in the cache: Go's build cache would not run the compiler a second time. */
function compilerProfile(): string {
  const path = join(cacheFolder, 'compiler.pb.gz');
  if (existsSync(path)) return path;
  mkdirSync(cacheFolder, { recursive: true });
  const temporary = `${path}.${process.pid}`;
  execFileSync('go', ['build', `-gcflags=net/http=-cpuprofile=${temporary}`, 'net/http']);
  renameSync(temporary, path);
  return path;
}

async function wholeProcess(args: readonly string[]): Promise<number> {
  const times: number[] = [];
  for (let round = 0; round < ROUNDS; round++) times.push((await runProcess(process.execPath, args)).ms);
  return median(times);
}

function row(what: string, ms: number, limit: number): void {
  console.log(`${what.padEnd(62)} ${ms.toFixed(0).padStart(7)} ms   limit ${limit} ms`);
}

if (spawnSync('go', ['version']).status !== 0) {
  console.log('NOT RUN: the profile is made by Go, and there is no go.');
} else {
  const profile = compilerProfile();
  const binary = join(execFileSync('go', ['env', 'GOTOOLDIR'], { encoding: 'utf8' }).trim(), 'compile');
  console.log(`${binary}, ${(statSync(binary).size / 1e6).toFixed(0)} MB`);
  const folder = mkdtempSync(join(tmpdir(), 'profpipe-bench-'));
  try {
    const run = (name: string, stages: readonly object[]) => {
      const file = join(folder, `${name}.yml`);
      const output = [{ file: { path: join(folder, `${name}.pb.gz`) } }];
      writeFileSync(file, JSON.stringify({ name, input: { file: { paths: [profile] } }, stages, output }));
      return wholeProcess(['dist/core/cli/bin.js', 'run', file, '--quiet']);
    };
    const symbolize = { symbolize: { binaries: [binary] } };
    const without = await run('without', [symbolize]);
    const marked = await run('marked', [symbolize, { mark: {} }]);
    row('mark: what it adds to the run', marked - without, 1000);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
  row('npm start, after the build', await wholeProcess(['scripts/start.mjs']), 2000);
}
