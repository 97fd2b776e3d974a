/** `aggregate` with less memory than its partials take: the same bytes as with enough, and nothing left behind. */
import assert from 'node:assert/strict';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { encodeProfile } from '../plugins/codecs/pprof/encode.js';
import { pipe } from './helpers/pipe.js';
import { profileOf } from './helpers/profiles.js';
import { temporaryFolder } from './helpers/temporary.js';

/** More than two batches of inputs (32), so that a lane has something to spill and then more. */
const INPUTS = 300;

test('partials on disk make no difference to the result', async (t) => {
  const folder = temporaryFolder(t);
  for (let index = 0; index < INPUTS; index++) {
    const text = `main;a${index % 7};b${index % 31} ${index + 1} {tenant=t${index % 5}}\nmain;c${index} 1`;
    const profile = profileOf(text, { timeNanos: 1000 + ((index * 7919) % INPUTS), comments: [`${index % 3}`] });
    const bytes = Buffer.concat(await encodeProfile(profile, { compression: 'none', level: 0 }));
    writeFileSync(join(folder, `${String(index).padStart(3, '0')}.pb`), bytes);
  }
  const run = (name: string, options: string, ...args: string[]): Buffer => {
    const out = join(folder, 'out', name);
    const pipeline = join(folder, `${name}.yml`);
    writeFileSync(
      pipeline,
      `input: { file: { paths: ["*.pb"] } }\nstages: [{ aggregate: ${options} }]\noutput: [{ file: { path: ${out} } }]\n`,
    );
    const { exitCode, stderr } = pipe(['run', pipeline, ...args]);
    assert.equal(exitCode, 0, stderr);
    return readFileSync(out);
  };
  const whole = run('whole.pb.gz', '{}', '--in-process');
  assert.ok(run('one.pb.gz', '{ memory: 1KiB }', '--in-process').equals(whole));
  assert.ok(run('two.pb.gz', '{ memory: 1KiB }', '--workers', '2').equals(whole));
  assert.deepEqual(readdirSync(join(folder, 'out')), ['one.pb.gz', 'two.pb.gz', 'whole.pb.gz']);
});
