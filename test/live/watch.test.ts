/**
 * `pipe run` over a watched folder, killed again and again while files come in, by rename and in place: in the end every file has its
 * output, whole, once, and what was done before a kill is not done again. PROFPIPE_KILLS sets the number of kills (200).
 */
import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  closeSync,
  existsSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  statSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { gunzipSync } from 'node:zlib';
import { root } from '../helpers/pipe.js';
import { temporaryFolder } from '../helpers/temporary.js';

const KILLS = Number(process.env.PROFPIPE_KILLS ?? 200);
const FILES = 3 * KILLS;
const bin = join(root, 'dist', 'core', 'cli', 'bin.js');
const names = Array.from({ length: FILES }, (_, index) => `profile-${String(index).padStart(4, '0')}`);

/** A profile that names itself. */
const textOf = (name: string): string => {
  const stack = `1 @ 0x1001 0x2001\n#\t0x1000\tmain.${name}+0x1\t/src/${name}.go:7\n#\t0x2000\tmain.main+0x1\t/src/main.go:3\n\n`;
  return `goroutine profile: total 50\n${stack.repeat(50)}`;
};

/** Puts the files into the folder one by one: every other renamed, the others written in two halves. */
async function feed(folder: string, aside: string, isDone: () => boolean): Promise<void> {
  for (const [index, name] of names.entries()) {
    const text = textOf(name);
    const path = join(folder, `${name}.txt`);
    if (index % 2 === 0) {
      writeFileSync(join(aside, name), text);
      renameSync(join(aside, name), path);
    } else {
      const file = openSync(path, 'w');
      writeSync(file, text.slice(0, text.length / 2));
      await sleep(10);
      writeSync(file, text.slice(text.length / 2));
      closeSync(file);
    }
    // The last ones come when nobody is killed any more.
    while (index >= FILES - 10 && !isDone()) await sleep(50);
    await sleep(250);
  }
}

/**
 * Ends it at a random time of its start or of its work, or a moment after the next temporary file, output or line of the checkpoint is
 * there.
 */
async function kill(child: ChildProcess, checkpoint: string, out: string, round: number): Promise<void> {
  const ended = once(child, 'exit');
  const isRunning = () => child.exitCode === null;
  const files = () => readdirSync(out);
  const written = (): number => {
    if (round % 4 === 1) return files().length;
    if (round % 4 === 2) return files().filter((name) => name.endsWith('.pb.gz')).length;
    return recorded(checkpoint).length;
  };
  if (round % 4 === 0) await sleep(Math.random() * 3_000);
  else {
    while (isRunning() && !isHeldBy(`${checkpoint}.lock`, child.pid)) await sleep(2);
    const before = written();
    const untilMs = performance.now() + 20_000;
    while (isRunning() && written() === before && performance.now() < untilMs) await sleep(0);
    await sleep(Math.random() < 0.5 ? 0 : Math.random() * 20);
  }
  child.kill('SIGKILL');
  assert.deepEqual(await ended, [null, 'SIGKILL']);
}

function isHeldBy(lock: string, pid: number | undefined): boolean {
  try {
    return readFileSync(lock, 'latin1').startsWith(`${pid} `);
  } catch {
    return false;
  }
}

test(`${KILLS} kills lose and double nothing`, async (t) => {
  const folder = temporaryFolder(t);
  const [incoming, aside, out] = ['in', 'aside', 'out'].map((name) => join(folder, name)) as [string, string, string];
  for (const each of [incoming, aside, out]) mkdirSync(each);
  const checkpoint = join(folder, 'checkpoint');
  const pipeline = join(folder, 'collect.yml');
  writeFileSync(
    pipeline,
    `name: collect
input:
  watch: { path: ${incoming}, checkpoint: ${checkpoint}, every: 20ms, settle: 150ms }
output:
  - file: { path: "${out}/{name}.pb.gz" }
`,
  );
  const start = (...more: string[]) =>
    spawn(process.execPath, [bin, 'run', pipeline, ...more], { stdio: ['ignore', 'ignore', 'pipe'] });

  let isDone = false;
  const fed = feed(incoming, aside, () => isDone);
  /** Output → its inode when the checkpoint said first that it is done. */
  const done = new Map<string, number>();
  for (let round = 0; round < KILLS; round++) {
    const child = start(round % 8 === 1 ? '--workers=2' : '--in-process');
    child.stderr.resume();
    await kill(child, checkpoint, out, round);
    for (const name of recorded(checkpoint)) if (!done.has(name)) done.set(name, inodeOf(join(out, `${name}.pb.gz`)));
  }
  isDone = true;
  t.diagnostic(`${done.size} of ${FILES} files done by ${KILLS} killed runs`);

  const last = start();
  let said = '';
  last.stderr.on('data', (text) => {
    said += text;
  });
  const ended = once(last, 'exit');
  await fed;
  const deadline = performance.now() + 60_000;
  while (recorded(checkpoint).length < FILES && performance.now() < deadline) await sleep(20);
  last.kill('SIGTERM');
  assert.deepEqual(await ended, [0, null], said);

  assert.deepEqual(
    readdirSync(out).sort(),
    names.map((name) => `${name}.pb.gz`),
  );
  for (const name of names) {
    const bytes = gunzipSync(readFileSync(join(out, `${name}.pb.gz`))).toString('latin1');
    assert.ok(bytes.includes(`main.${name}`) && bytes.includes('main.main'), name);
    assert.ok(!done.has(name) || done.get(name) === inodeOf(join(out, `${name}.pb.gz`)), `${name} was done twice`);
  }
  assert.ok(done.size > KILLS / 4, `${done.size} files done by killed runs`);
});

const inodeOf = (path: string): number => statSync(path).ino;

/** Names of the files that the checkpoint holds. */
function recorded(path: string): string[] {
  if (!existsSync(path)) return [];
  const lines = readFileSync(path, 'utf8').split('\n').slice(1, -1);
  return lines.map((line) => (JSON.parse(line) as [string])[0].replace('.txt', ''));
}
