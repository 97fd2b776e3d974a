/** `pipe run --log-format`: stderr for programs that collect logs. */
import assert from 'node:assert/strict';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { encodeProfile } from '../plugins/codecs/pprof/encode.js';
import { pipe } from './helpers/pipe.js';
import { profileOf } from './helpers/profiles.js';
import { temporaryFolder, writeInto } from './helpers/temporary.js';

const pipeline = `params: { key: { type: string, default: "\${ENV:KEY}", description: a key } }
input: { file: { paths: [in] } }
stages: [{ anonymize: { key: "\${key}" } }]
output: [file: { path: "out/{name}.pb.gz" }]
`;

/** Two good inputs and a bad one. */
async function folderOf(t: TestContext): Promise<string> {
  const folder = temporaryFolder(t);
  mkdirSync(join(folder, 'in'));
  const bytes = Buffer.concat(await encodeProfile(profileOf('main;work 1'), { level: 1, compression: 'gzip' }));
  for (const name of ['a', 'c']) writeInto(folder, `in/${name}.pb.gz`, bytes);
  writeInto(folder, 'in/b.pb.gz', 'no profile, but correct-horse-battery');
  writeInto(folder, 'all.yml', pipeline);
  return folder;
}

const run = (folder: string, ...args: readonly string[]) =>
  pipe(['run', 'all.yml', ...args], { cwd: folder, env: { KEY: 'correct-horse-battery' } });
const parse = (stderr: string) =>
  stderr
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as Record<string, unknown>);

test('each event is one object with the fields of pino, as it happens', async (t) => {
  const { stderr, stdout, exitCode } = run(await folderOf(t), '--log-format', 'json');
  assert.equal(exitCode, 20);
  assert.equal(stdout, '');
  const lines = parse(stderr);
  assert.deepEqual(
    lines.map(({ level, event }) => [level, event]),
    [
      [30, 'run_started'],
      [30, 'output_written'],
      [50, 'input_failed'],
      [30, 'output_written'],
      [40, 'run_ended'],
    ],
  );
  for (const { time, msg } of lines) {
    assert.ok(Math.abs(Number(time) - Date.now()) < 600_000);
    assert.equal(typeof msg, 'string');
  }
  const [started, , failed, written, ended] = lines;
  assert.equal(started?.inputs, 3);
  assert.deepEqual([failed?.uri, failed?.code, failed?.stage], ['in/b.pb.gz', 'E_UNKNOWN_FORMAT', 'decode']);
  assert.match(String(failed?.deadLetter), /dead-letter\/.*b\.pb\.gz\.error\.json$/);
  assert.match(String(written?.destination), /out\/c\.pb\.gz$/);
  assert.deepEqual(ended?.inputs, { read: 3, delivered: 2, deadLettered: 1 });
  assert.doesNotMatch(stderr, /correct-horse-battery/);
});

test('as text each event is a line with time and level; --quiet leaves out what went well', async (t) => {
  const folder = await folderOf(t);
  const { stderr } = run(folder, '--log-format', 'text');
  const time = String.raw`\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z`;
  for (const line of stderr.trimEnd().split('\n')) assert.match(line, new RegExp(`^${time} (info |warn |error) \\S`));
  assert.match(stderr, /error in\/b\.pb\.gz: E_UNKNOWN_FORMAT \(decode\)/);
  const { stderr: quiet } = run(folder, '--log-format', 'text', '--quiet');
  assert.deepEqual(
    quiet
      .trimEnd()
      .split('\n')
      .map((line) => line.slice(25, 30)),
    ['error', 'warn '],
  );
});

test('what keeps a run from its start is an event too, with its place; the summary stays on stdout', async (t) => {
  const folder = await folderOf(t);
  writeInto(folder, 'bad.yml', pipeline.replace('anonymize', 'anonymise'));
  const wrong = pipe(['run', 'bad.yml', '--log-format', 'json', '--json'], {
    cwd: folder,
    env: { KEY: 'correct-horse-battery' },
  });
  assert.equal(wrong.exitCode, 2);
  const [finding] = parse(wrong.stderr);
  const { level, event, file, line, column, code } = finding!;
  assert.deepEqual([level, event, file, line, column, code], [50, 'finding', 'bad.yml', 3, 12, 'unknown-plugin']);
  assert.equal(JSON.parse(wrong.stdout).exitCode, 2);

  const missing = pipe(['run', 'none.yml', '--log-format', 'json'], { cwd: folder });
  assert.equal(missing.exitCode, 2);
  assert.deepEqual(
    parse(missing.stderr).map(({ event }) => event),
    ['refused'],
  );
  const { stdout } = run(folder, '--log-format', 'json', '--json');
  assert.equal(JSON.parse(stdout).inputs.delivered, 2);
});
