/** `pipe run perf.yml` on the embedded recording: Go without symbols, its stacks captured, compressed, from a pipe. */
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import type { RunSummary } from '../core/engine/telemetry.js';
import { decodePerf, samplesOf } from './helpers/perf-decode.js';
import { pipe, root } from './helpers/pipe.js';
import { temporaryFolder } from './helpers/temporary.js';

const recording = join(root, 'pipelines', 'samples', 'perf.data');

test('every stack of the embedded recording is complete and has names, with any number of workers', async (t) => {
  const outputs: Map<string, string>[] = [];
  for (const workers of [['--in-process'], ['--workers', '1'], ['--workers', '2'], ['--workers', '4']]) {
    const out = temporaryFolder(t);
    const { exitCode, stdout, stderr } = pipe(['run', 'perf.yml', '--set', `out=${out}`, '--json', ...workers]);
    assert.equal(exitCode, 0, stderr);
    const summary: RunSummary = JSON.parse(stdout);
    const { unwind, symbolize } = summary.counters;
    const { parts } = await decodePerf(readFileSync(recording));
    const { 'stacks.root': toRoot = 0, 'stacks.stack_switch': toSwitch = 0, ...others } = unwind!;
    assert.deepEqual(others, {});
    assert.equal(toRoot + toSwitch, samplesOf(parts).length);
    assert.equal(symbolize!.locations_symbolized, symbolize!.locations);
    outputs.push(new Map(readdirSync(out).map((name) => [name, readFileSync(join(out, name), 'base64')])));
  }
  const [first, ...others] = outputs;
  assert.deepEqual([...first!.keys()].sort(), ['profile.folded', 'profile.json', 'profile.pb.gz']);
  for (const other of others) assert.deepEqual(other, first);
  const folded = Buffer.from(first!.get('profile.folded')!, 'base64').toString();
  assert.match(
    folded,
    /^runtime\.goexit;runtime\.main;main\.main;main\.run;main\.benchmarkGetLast;main\.getLast \d+$/m,
  );
});

test('a recording is a profile like others, from a file or stdin; what is not unwound is said', () => {
  const top = pipe(['profile', 'top', recording]);
  assert.equal(top.exitCode, 0, top.stderr);
  assert.match(top.stdout, /^cpu-clock: /);
  assert.match(top.stderr, /not_unwound/);
  const piped = pipe(['profile', 'top', '-'], { input: readFileSync(recording) });
  assert.equal(piped.stdout, top.stdout, piped.stderr);
});
