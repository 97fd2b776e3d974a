/**
 * An aggregate on a disk that fills, and killed while its partials are on disk: it stops and can be run again, nothing half or wrong is under
 * a final name, and the next run clears what was left.
 */
import assert from 'node:assert/strict';
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmdirSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { encodeProfile } from '../../plugins/codecs/pprof/encode.js';
import { pipe, root } from '../helpers/pipe.js';
import { profileOf } from '../helpers/profiles.js';
import { temporaryFolder } from '../helpers/temporary.js';

const INPUTS = 400;
const KILLS = 12;
const bin = join(root, 'dist', 'core', 'cli', 'bin.js');

/** The folder of a file system of its own, of so many KiB; undefined where nobody may mount one. */
function mountDisk(t: TestContext, kib: number): string | undefined {
  const disk = mkdtempSync(join(tmpdir(), 'profpipe-disk-'));
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${kib}k`, 'tmpfs', disk], { stdio: 'ignore' });
  } catch {
    rmdirSync(disk);
    return undefined;
  }
  t.after(() => {
    execFileSync('umount', [disk]);
    rmdirSync(disk);
  });
  return disk;
}

/** Stacks of each file's own, so that partials and the result grow. */
async function makeInputs(folder: string): Promise<void> {
  for (let index = 0; index < INPUTS; index++) {
    const lines = Array.from({ length: 30 }, (_, stack) => `main;f${index % 50};g${index}x${stack} ${index + stack}`);
    const profile = profileOf(lines.join('\n'), { timeNanos: 1_000 + index });
    const bytes = Buffer.concat(await encodeProfile(profile, { compression: 'gzip', level: 1 }));
    writeFileSync(join(folder, `${String(index).padStart(3, '0')}.pb.gz`), bytes);
  }
}

function writePipeline(folder: string, out: string, memory: string): string {
  const pipeline = join(folder, `${memory}.yml`);
  writeFileSync(
    pipeline,
    `input: { file: { paths: ["in/*.pb.gz"] } }
stages: [{ aggregate: { memory: ${memory} } }]
output: [{ file: { path: ${out} } }]
dead_letter: ${join(out, '..', 'dead')}
`,
  );
  return pipeline;
}

test('a disk that fills stops the run, while spilling and while writing, and it can be run again', async (t) => {
  const folder = temporaryFolder(t);
  mkdirSync(join(folder, 'in'));
  await makeInputs(join(folder, 'in'));
  const whole = join(folder, 'whole.pb.gz');
  assert.equal(pipe(['run', writePipeline(folder, whole, '512MiB')]).exitCode, 0);
  const bytes = readFileSync(whole);
  for (const [memory, code, kib] of [
    ['1KiB', 'E_SPILL', 300],
    ['512MiB', 'E_WRITE', Math.floor(bytes.length / 1024 / 2)],
  ] as const) {
    const disk = mountDisk(t, kib);
    if (disk === undefined) {
      t.skip('NOT RUN: a file system cannot be mounted here');
      return;
    }
    const out = join(disk, 'out.pb.gz');
    const pipeline = writePipeline(folder, out, memory);
    const before = readFileSync(join(folder, 'in', '000.pb.gz'));
    for (let attempt = 0; attempt < 2; attempt++) {
      const { exitCode, stdout } = pipe(['run', pipeline, '--json']);
      assert.equal(exitCode, 21);
      const { stopped, failures } = JSON.parse(stdout);
      assert.equal(stopped.code, code);
      assert.match(stopped.message, /ENOSPC/);
      assert.deepEqual(failures, []);
      assert.deepEqual(readdirSync(disk), []);
    }
    assert.ok(readFileSync(join(folder, 'in', '000.pb.gz')).equals(before));
    execFileSync('mount', ['-o', 'remount,size=64m', disk]);
    assert.equal(pipe(['run', pipeline]).exitCode, 0);
    assert.ok(readFileSync(out).equals(bytes));
    assert.deepEqual(readdirSync(disk), ['out.pb.gz']);
  }
});

test(`${KILLS} kills while partials are on disk: the next run removes them, and gives the same bytes`, async (t) => {
  const folder = temporaryFolder(t);
  for (const name of ['in', 'out']) mkdirSync(join(folder, name));
  await makeInputs(join(folder, 'in'));
  const whole = join(folder, 'whole.pb.gz');
  assert.equal(pipe(['run', writePipeline(folder, whole, '512MiB')]).exitCode, 0);
  const out = join(folder, 'out', 'out.pb.gz');
  const pipeline = writePipeline(folder, out, '1KiB');
  let left = 0;
  for (let kill = 0; kill < KILLS; kill++) {
    const child = spawn(process.execPath, [bin, 'run', pipeline, ...(kill % 2 === 0 ? ['--in-process'] : [])], {
      stdio: 'ignore',
    });
    const ended = once(child, 'exit');
    const spilled = () => readdirSync(join(folder, 'out')).filter((name) => name.includes(`-${child.pid}-`));
    while (child.exitCode === null && spilled().length === 0) await sleep(1);
    await sleep(Math.random() * 60);
    child.kill('SIGKILL');
    await ended;
    // What the run before left is gone, also when this one ended by itself.
    assert.ok(readdirSync(join(folder, 'out')).filter((name) => name.startsWith('.')).length <= 1);
    left += spilled().length;
    assert.ok(!existsSync(out) || readFileSync(out).equals(readFileSync(whole)));
  }
  t.diagnostic(`${left} of ${KILLS} killed runs left something`);
  assert.ok(left > KILLS / 3);
  assert.equal(pipe(['run', pipeline]).exitCode, 0);
  assert.deepEqual(readdirSync(join(folder, 'out')), ['out.pb.gz']);
  assert.ok(readFileSync(out).equals(readFileSync(whole)));
});
