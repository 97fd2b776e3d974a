/** `pipe run --profile`: the run, looked at by the program itself. */
import assert from 'node:assert/strict';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { encodeProfile } from '../plugins/codecs/pprof/encode.js';
import { pipe } from './helpers/pipe.js';
import { profileOf } from './helpers/profiles.js';
import { temporaryFolder, writeInto } from './helpers/temporary.js';

/** Of a run over a dozen inputs: stderr, its profile as text, and the threads in it. */
async function profileOfRun(t: TestContext, pipeline: string, ...args: readonly string[]) {
  const folder = temporaryFolder(t);
  mkdirSync(join(folder, 'in'));
  const stacks = Array.from({ length: 2_000 }, (_, row) => `main;f${row % 97};g${row} ${row + 1}`).join('\n');
  const bytes = Buffer.concat(await encodeProfile(profileOf(stacks), { level: 1, compression: 'gzip' }));
  for (let index = 0; index < 12; index++) writeInto(folder, `in/${index}.pb.gz`, bytes);
  const output = 'output: [file: { path: "out/{name}.pb.gz" }]';
  writeInto(folder, 'all.yml', `input: { file: { paths: [in] } }\n${pipeline}\n${output}\n`);
  const call = ['run', 'all.yml', '--profile', 'made/self.pb.gz', '--quiet', ...args];
  const { stderr, exitCode } = pipe(call, { cwd: folder });
  assert.equal(exitCode, 0, stderr);
  const { stdout: text } = pipe(['profile', 'text', 'made/self.pb.gz'], { cwd: folder });
  const threads = new Set(Array.from(text.matchAll(/\{thread="?(main|worker)/g), ([, thread]) => thread!));
  return { stderr, text, threads: [...threads].sort() };
}

test('the main thread and the workers are in one profile, with the work that each does', async (t) => {
  const { stderr, text, threads } = await profileOfRun(t, '', '--workers', '2');
  assert.equal(stderr, '');
  assert.deepEqual(threads, ['main', 'worker']);
  assert.match(text, /plugins\/codecs\/pprof\//);
  assert.match(text, /core\/engine\/run\.ts/);
});

test('a run in one thread is profiled too', async (t) => {
  const { threads, text } = await profileOfRun(t, '', '--in-process');
  assert.deepEqual(threads, ['main']);
  assert.match(text, /plugins\/codecs\/pprof\//);
});

test('workers that are processes may not be looked into: that is said', async (t) => {
  const { stderr, threads } = await profileOfRun(t, 'isolation: process', '--workers', '2');
  assert.match(stderr, /warning --profile: with isolation: process/);
  assert.deepEqual(threads, ['main']);
});
