/** Outputs that would take the place of an input, or of each other: refused before anything is read, the input as it was. */
import assert from 'node:assert/strict';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { encodeProfile } from '../plugins/codecs/pprof/encode.js';
import { pipe } from './helpers/pipe.js';
import { profileOf } from './helpers/profiles.js';
import { temporaryFolder } from './helpers/temporary.js';

/** A folder with `a.pb` and `b.pb`, of samples with `service: api`, and what runs a pipeline in it. */
async function folderOfTwo(t: TestContext) {
  const folder = temporaryFolder(t);
  const profile = profileOf('main;work 3 30 {service=api}\nmain;rest 1 10 {service=b}');
  const bytes = Buffer.concat(await encodeProfile(profile, { compression: 'none', level: 0 }));
  for (const name of ['a.pb', 'b.pb']) writeFileSync(join(folder, name), bytes);
  const run = (stages: string, output: string) => {
    const text = `input: { file: { paths: ["*.pb"] } }\nstages: [${stages}]\noutput: [${output}]\n`;
    writeFileSync(join(folder, 'p.yml'), text);
    return pipe(['run', join(folder, 'p.yml')]);
  };
  return { folder, bytes, run };
}

test('an output in the place of an input is refused', async (t) => {
  const { folder, bytes, run } = await folderOfTwo(t);
  const { exitCode, stderr } = run('', 'file: { path: "{name}.pb" }');
  assert.equal(exitCode, 2, stderr);
  assert.match(stderr, /a\.pb is an input of this run, and would be replaced; write to another folder/);
  assert.ok(readFileSync(join(folder, 'a.pb')).equals(bytes));
});

test('what a run before has written is not read as an input and replaced', async (t) => {
  const { folder, run } = await folderOfTwo(t);
  const again = () => run('aggregate: {}', 'file: { path: all.pb }');
  assert.equal(again().exitCode, 0);
  const once = readFileSync(join(folder, 'all.pb'));
  assert.match(again().stderr, /all\.pb is an input of this run/);
  assert.ok(readFileSync(join(folder, 'all.pb')).equals(once));
});

test('a group whose path turns out to be an input becomes a dead letter, the others are written', async (t) => {
  const { folder, bytes, run } = await folderOfTwo(t);
  const { exitCode, stderr } = run('aggregate: { by: ["label:service"] }', 'file: { path: "${group.service}.pb" }');
  assert.equal(exitCode, 20, stderr);
  assert.match(stderr, /E_OUTPUT_IS_INPUT .*b\.pb is an input of this run/);
  assert.ok(readFileSync(join(folder, 'b.pb')).equals(bytes));
  assert.deepEqual(readdirSync(folder).sort(), ['a.pb', 'api.pb', 'b.pb', 'dead-letter', 'p.yml']);
});

test('groups that all go to standard output are refused', async (t) => {
  const { run } = await folderOfTwo(t);
  const { exitCode, stdout, stderr } = run('aggregate: { by: ["label:service"] }', 'stdout: { codec: folded }');
  assert.equal(exitCode, 2);
  assert.equal(stdout, '');
  assert.match(stderr, /groups \(by service\) would be written to - one over the other/);
});
