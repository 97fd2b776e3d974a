/** `pipe run collect.yml` with short windows, as if for days: its memory does not grow with the profiles that it collected. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { root } from '../helpers/pipe.js';
import { temporaryFolder } from '../helpers/temporary.js';

const bin = join(root, 'dist', 'core', 'cli', 'bin.js');
/** A day of collect.yml is 8,640 profiles. */
const PROFILES = Number(process.env.PROFPIPE_PROFILES ?? 3_000);
const skip = process.platform === 'linux' ? false : 'NOT RUN: memory is read from /proc';

function residentMiB(pid: number): number {
  return Number(/VmRSS:\s*(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1024;
}

test(`${PROFILES} profiles in windows of two seconds`, { skip }, async (t) => {
  const profile = readFileSync(join(root, 'pipelines', 'samples', 'cpu.pb.gz'));
  let answers = 0;
  const server = createServer((_, response) => {
    answers += 1;
    response.end(profile);
  }).listen(0, '127.0.0.1');
  t.after(() => server.close().closeAllConnections());
  await once(server, 'listening');
  const out = temporaryFolder(t);
  const target = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const sets = [`target=${target}`, 'every=60ms', 'seconds=0', 'window=2s', `out=${out}`];
  const child = spawn(
    process.execPath,
    [bin, 'run', 'collect.yml', '--quiet', ...sets.flatMap((set) => ['--set', set])],
    { stdio: ['ignore', 'ignore', 'inherit'] },
  );
  t.after(() => child.kill('SIGKILL'));
  const ended = once(child, 'exit');
  /** Highest of the second and of the last third. */
  const peaks = [0, 0, 0];
  while (answers < PROFILES && child.exitCode === null) {
    const third = Math.min(2, Math.floor((3 * answers) / PROFILES));
    peaks[third] = Math.max(peaks[third]!, residentMiB(child.pid!));
    await sleep(50);
  }
  child.kill('SIGTERM');
  assert.deepEqual(await ended, [0, null]);
  const windows = readdirSync(join(out, 'service')).length;
  t.diagnostic(`${windows} windows; MiB by thirds of the run: ${peaks.map(Math.round).join(', ')}`);
  assert.ok(windows > 5);
  assert.ok(peaks[2]! < 1.2 * peaks[1]! + 10, `${peaks}`);
});
