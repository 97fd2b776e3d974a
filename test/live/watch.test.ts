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
/** What comes for each run that is killed, and when nobody is killed any more. */
const FILES_A_RUN = 3;
const LAST_FILES = 10;
const FILES = FILES_A_RUN * KILLS + LAST_FILES;
const SETTLE_MS = 150;
const PATIENCE_MS = 300_000;
const bin = join(root, 'dist', 'core', 'cli', 'bin.js');
const names = Array.from({ length: FILES }, (_, index) => `profile-${String(index).padStart(4, '0')}`);

/** A profile that names itself. */
const textOf = (name: string): string => {
  const stack = `1 @ 0x1001 0x2001\n#\t0x1000\tmain.${name}+0x1\t/src/${name}.go:7\n#\t0x2000\tmain.main+0x1\t/src/main.go:3\n\n`;
  return `goroutine profile: total 50\n${stack.repeat(50)}`;
};

/**
 * Puts the files into the folder one by one: every other renamed, the others written in two halves.
 * @param most number of files that may be there by now
 * @returns names of those between whose halves so much time went by that the first may have been taken for the whole
 */
async function feed(folder: string, aside: string, most: () => number): Promise<Set<string>> {
  const slow = new Set<string>();
  for (const [index, name] of names.entries()) {
    const text = textOf(name);
    const path = join(folder, `${name}.txt`);
    while (index >= most()) await sleep(20);
    if (index % 2 === 0) {
      writeFileSync(join(aside, name), text);
      renameSync(join(aside, name), path);
    } else {
      const startedMs = performance.now();
      const file = openSync(path, 'w');
      writeSync(file, text.slice(0, text.length / 2));
      await sleep(10);
      writeSync(file, text.slice(text.length / 2));
      closeSync(file);
      if (performance.now() - startedMs >= SETTLE_MS) slow.add(name);
    }
    await sleep(250);
  }
  return slow;
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
    return recorded(checkpoint).size;
  };
  if (round % 4 === 0) await sleep(Math.random() * 3_000);
  else {
    while (isRunning() && !isHeldBy(`${checkpoint}.lock`, child.pid)) await sleep(2);
    const before = written();
    const untilMs = performance.now() + PATIENCE_MS;
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
  watch: { path: ${incoming}, checkpoint: ${checkpoint}, every: 20ms, settle: ${SETTLE_MS}ms }
output:
  - file: { path: "${out}/{name}.pb.gz" }
`,
  );
  const start = (...more: string[]) =>
    spawn(process.execPath, [bin, 'run', pipeline, ...more], { stdio: ['ignore', 'ignore', 'pipe'] });

  let most = 0;
  const fed = feed(incoming, aside, () => most);
  /** Output → its inode when the checkpoint said first that it is done. */
  const done = new Map<string, number | undefined>();
  for (let round = 0; round < KILLS; round++) {
    most += FILES_A_RUN;
    const child = start(round % 8 === 1 ? '--workers=2' : '--in-process');
    child.stderr.resume();
    await kill(child, checkpoint, out, round);
    for (const name of recorded(checkpoint)) if (!done.has(name)) done.set(name, inodeOf(join(out, `${name}.pb.gz`)));
  }
  most = FILES;
  t.diagnostic(`${done.size} of ${FILES} files done by ${KILLS} killed runs`);

  const last = start();
  t.after(() => last.kill('SIGKILL'));
  let said = '';
  last.stderr.on('data', (text) => {
    said += text;
  });
  const ended = once(last, 'close');
  const slow = await fed;
  const deadline = performance.now() + PATIENCE_MS;
  while (recorded(checkpoint).size < FILES && performance.now() < deadline) await sleep(20);
  last.kill('SIGTERM');
  const [exitCode] = await ended;
  assert.ok(exitCode === 0 || (exitCode === 20 && slow.size > 0), said);

  t.diagnostic(`${slow.size} files were written too slowly to be judged`);
  const judged = names.filter((name) => !slow.has(name));
  const isJudged = (file: string) => file !== 'dead-letter' && !slow.has(file.replace(/(@.*)?\.pb\.gz$/, ''));
  assert.deepEqual(
    readdirSync(out)
      .filter((file) => slow.size === 0 || isJudged(file))
      .sort(),
    judged.map((name) => `${name}.pb.gz`),
  );
  for (const name of judged) {
    const bytes = gunzipSync(readFileSync(join(out, `${name}.pb.gz`))).toString('latin1');
    assert.ok(bytes.includes(`main.${name}`) && bytes.includes('main.main'), name);
    assert.ok(!done.has(name) || done.get(name) === inodeOf(join(out, `${name}.pb.gz`)), `${name} was done twice`);
  }
  // Every fourth is killed when it has just written that one is done.
  assert.ok(done.size >= KILLS / 4, `${done.size} files done by killed runs`);
});

const inodeOf = (path: string): number | undefined => statSync(path, { throwIfNoEntry: false })?.ino;

/** Names of the files that the checkpoint holds. */
function recorded(path: string): Set<string> {
  if (!existsSync(path)) return new Set();
  const lines = readFileSync(path, 'utf8').split('\n').slice(1, -1);
  return new Set(lines.map((line) => (JSON.parse(line) as [string])[0].replace('.txt', '')));
}
