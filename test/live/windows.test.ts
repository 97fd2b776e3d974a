/**
 * `pipe run` that writes windows of a watched folder, killed again and again: in the end every profile is in each of its windows, once. By
 * the profiles' own time and by that of arrival, side by side and overlapping; groups make several files of a window. PROFPIPE_KILLS sets
 * the number of kills (200).
 */
import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { root } from '../helpers/pipe.js';
import { temporaryFolder } from '../helpers/temporary.js';
import { countsOf, putProfile } from '../helpers/windows.js';

const KILLS = Number(process.env.PROFPIPE_KILLS ?? 200) / 2;
/** Files that come when nobody is killed any more. */
const LAST_FILES = 20;
/** Files that wait to be done: more would only be work for the last run. */
const MOST_WAITING = 50;
const bin = join(root, 'dist', 'core', 'cli', 'bin.js');

/** Ends it at some time of its start, or a moment after the folder of outputs or the checkpoint have changed a few times. */
async function kill(child: ChildProcess, checkpoint: string, out: string, round: number): Promise<void> {
  const ended = once(child, 'exit');
  if (round % 5 === 0) await sleep(Math.random() * 2_000);
  else {
    const state = () => (round % 2 === 0 ? textOf(checkpoint).length : readdirSync(out).length);
    const held = () => textOf(`${checkpoint}.lock`).startsWith(`${child.pid} `);
    while (child.exitCode === null && !held()) await sleep(2);
    const untilMs = performance.now() + 60_000;
    for (let changes = Math.ceil(Math.random() * 12); changes > 0 && performance.now() < untilMs; changes--) {
      const before = state();
      while (child.exitCode === null && state() === before && performance.now() < untilMs) await sleep(0);
    }
    await sleep(Math.random() < 0.5 ? 0 : Math.random() * 10);
  }
  child.kill('SIGKILL');
  assert.deepEqual(await ended, [null, 'SIGKILL']);
}

/** Names of the files that are done. */
function recorded(checkpoint: string): Set<string> {
  const lines = textOf(checkpoint).split('\n').slice(1, -1);
  const files = lines.filter((line) => line.startsWith('[')).map((line) => JSON.parse(line) as string[]);
  return new Set(files.filter(({ length }) => length === 2).map(([name]) => name!));
}

/** Empty while there is no such file: others take it away at any time. */
function textOf(path: string): string {
  try {
    return readFileSync(path, 'latin1');
  } catch {
    return '';
  }
}

/** Start of the window that an output is of, in seconds since 1970. */
function windowOf(file: string): number {
  const [, date, hour, minute, second] = /^(\d{8})T(\d\d)(\d\d)(\d\d)Z-\d(?:\.\d+)?\.pb\.gz$/.exec(file) ?? [];
  assert.ok(date, file);
  const day = date.replace(/^(....)(..)/, '$1-$2-');
  return Date.parse(`${day}T${hour}:${minute}:${second}Z`) / 1_000;
}

/** Starts of as many windows as a profile is in, a second apart. @param latest in seconds since 1970 */
const windowsUpTo = (latest: number, count: number) => Array.from({ length: count }, (_, index) => latest - index);

for (const { clock, seconds } of [
  { clock: 'profile', seconds: 1 },
  { clock: 'arrival', seconds: 1 },
  { clock: 'profile', seconds: 3 },
  { clock: 'arrival', seconds: 3 },
]) {
  test(`${KILLS} kills, each in ${seconds} by the time of ${clock}: nothing lost, nothing twice`, async (t) => {
    const folder = temporaryFolder(t);
    const [incoming, out] = ['in', 'out'].map((name) => join(folder, name)) as [string, string];
    for (const each of [incoming, out]) mkdirSync(each);
    const checkpoint = join(folder, 'checkpoint');
    const pipeline = join(folder, 'windows.yml');
    writeFileSync(
      pipeline,
      `name: windows
input:
  watch: { path: ${incoming}, checkpoint: ${checkpoint}, every: 20ms, settle: 0s }
stages:
  - aggregate: { by: ["name:(?P<last>.)$"], every: ${seconds}s, slide: 1s, clock: ${clock} }
output:
  - file: { path: "${out}/\${group.window}-\${group.last}.pb.gz" }
`,
    );
    const start = (...more: string[]) =>
      spawn(process.execPath, [bin, 'run', pipeline, ...more], { stdio: ['ignore', 'ignore', 'pipe'] });

    let isDone = false;
    const timesMs = new Map<string, number>();
    const feed = async () => {
      for (let left = LAST_FILES; left > 0; left -= isDone ? 1 : 0) {
        const name = `p${timesMs.size}`;
        // A little out of order.
        const timeMs = Date.now() - (timesMs.size % 7 === 0 ? 1_500 : 0);
        timesMs.set(name, timeMs);
        await putProfile(incoming, name, timeMs);
        await sleep(200);
        while (!isDone && timesMs.size - recorded(checkpoint).size > MOST_WAITING) await sleep(50);
      }
    };
    t.after(() => {
      isDone = true;
    });
    const fed = feed();
    for (let round = 0; round < KILLS; round++) {
      const child = start(round % 8 === 1 ? '--workers=2' : '--in-process');
      child.stderr.resume();
      await kill(child, checkpoint, out, round);
    }
    isDone = true;
    const byKilled = readdirSync(out).length;

    const last = start('--json');
    let said = '';
    last.stderr.on('data', (text) => {
      said += text;
    });
    t.after(() => last.kill('SIGKILL'));
    const ended = once(last, 'close');
    await fed;
    const deadlineMs = performance.now() + 600_000;
    while (recorded(checkpoint).size < timesMs.size && performance.now() < deadlineMs) await sleep(20);
    last.kill('SIGTERM');
    assert.deepEqual(await ended, [0, null], said);

    /** By name: a start for each time that it was counted. */
    const windows = new Map<string, number[]>(Array.from(timesMs.keys(), (name) => [name, []]));
    const files = readdirSync(out);
    for (const file of files) {
      const window = windowOf(file);
      for (const [name, count] of await countsOf(readFileSync(join(out, file)))) {
        for (let times = 0; times < count; times++) windows.get(name)!.push(window);
      }
    }
    for (const [name, starts] of windows) {
      const latest = clock === 'profile' ? Math.floor(timesMs.get(name)! / 1_000) : Math.max(...starts);
      starts.sort((a, b) => b - a);
      assert.deepEqual(starts, windowsUpTo(latest, seconds), name);
    }
    t.diagnostic(`${files.length} files, ${byKilled} of them by killed runs`);
    assert.ok(byKilled > KILLS / 10, `${byKilled} files by killed runs`);
  });
}
