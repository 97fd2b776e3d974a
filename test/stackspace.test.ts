/** The shipped pipeline on its embedded sample, as a user runs it. */
import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import type { RunSummary } from '../core/engine/contract/telemetry.js';
import { pipe } from './helpers/pipe.js';
import { temporaryFolder, writeInto } from './helpers/temporary.js';

interface Top {
  readonly total: number;
  readonly rows: readonly { readonly function: string; readonly flat: number; readonly cum: number }[];
}

const top = (file: string, type: string): Top => {
  const { stdout, stderr } = pipe(['profile', 'top', file, '--type', type, '--json']);
  assert.equal(stderr, '');
  return JSON.parse(stdout);
};
const flat = ({ rows }: Top, name: string): number => rows.find((row) => row.function === name)?.flat ?? 0;

/** What the recipe printed when it made the sample. */
const truth = { stacksBytes: 2_883_584, threads: 5 };

test('stackspace.yml says where the stacks of the embedded sample are', (t) => {
  const out = temporaryFolder(t);
  const { exitCode, stdout, stderr } = pipe(['run', 'stackspace.yml', '--set', `out=${out}`, '--json']);
  assert.equal(exitCode, 0, stderr);
  const { reports }: RunSummary = JSON.parse(stdout);
  const report = reports.find(({ plugin }) => plugin === 'stackspace')!.json as { [part: string]: number };
  const file = join(out, 'stackspace.pb.gz');
  const space = top(file, 'goroutine_space');
  assert.equal(space.total, report.frameBytes! + report.freeBytes!);
  assert.ok(space.total <= truth.stacksBytes, `${space.total} bytes, but the process had ${truth.stacksBytes}`);
  assert.equal(flat(space, 'runtime._FreeStack'), report.freeBytes);
  assert.equal(top(file, 'goroutine').total, report.goroutines);
  // 300 connections, served by a frame of 360 bytes each.
  assert.equal(flat(space, 'main.(*broker).serve'), 300 * 360);
  JSON.parse(readFileSync(join(out, 'stackspace.json'), 'utf8'));
});

test('stackspace.yml with stacks_bytes adds up to it', (t) => {
  const out = temporaryFolder(t);
  const set = { out, stacks_bytes: truth.stacksBytes, threads: truth.threads };
  const options = Object.entries(set).flatMap(([name, value]) => ['--set', `${name}=${value}`]);
  assert.equal(pipe(['run', 'stackspace.yml', ...options]).exitCode, 0);
  const space = top(join(out, 'stackspace.pb.gz'), 'goroutine_space');
  assert.equal(space.total, truth.stacksBytes);
  assert.equal(flat(space, 'runtime._SignalStack'), truth.threads * 32768);
});

test('stackspace.yml takes both from a file of figures, and refuses one without', (t) => {
  const folder = temporaryFolder(t);
  const run = (metrics: string, out: string) =>
    pipe(['run', 'stackspace.yml', '--set', `out=${join(folder, out)}`, '--set', `metrics=${metrics}`]);
  const figures = {
    '/memory/classes/heap/stacks:bytes': truth.stacksBytes,
    '/sched/threads/total:threads': truth.threads,
  };
  const metrics = writeInto(folder, 'metrics.json', new TextEncoder().encode(JSON.stringify(figures)));
  assert.equal(run(metrics, 'out').exitCode, 0);
  const space = top(join(folder, 'out/stackspace.pb.gz'), 'goroutine_space');
  assert.equal(space.total, truth.stacksBytes);
  assert.equal(flat(space, 'runtime._SignalStack'), truth.threads * 32768);

  const wrong = writeInto(folder, 'wrong.json', new TextEncoder().encode('{"memstats": {"StackInuse": "many"}}'));
  const refused: readonly (readonly [string, RegExp])[] = [
    [
      wrong,
      /stages\[1\]\.stackspace: metrics: .*wrong\.json: \$\["memstats"\]\["StackInuse"\]: "many" is no whole number/,
    ],
    [join(folder, 'none'), /stages\[1\]\.stackspace: .*none: cannot open: no such file/],
    [folder, /stages\[1\]\.stackspace: .*: not a regular file: a folder/],
  ];
  for (const [path, message] of refused) {
    const { exitCode, stderr } = run(path, 'refused');
    assert.equal(exitCode, 2);
    assert.match(stderr, message);
  }
  assert.equal(existsSync(join(folder, 'refused/stackspace.pb.gz')), false);
});

test('stackspace.yml refuses a binary that the profile is not of', (t) => {
  const out = temporaryFolder(t);
  const { exitCode, stderr } = pipe([
    'run',
    'stackspace.yml',
    '--set',
    `out=${out}`,
    '--set',
    `exe=pipelines/samples/service`,
  ]);
  assert.equal(exitCode, 20);
  assert.match(stderr, /E_BINARY_DIFFERS.*service/);
});
