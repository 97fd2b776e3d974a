/** A profile of 300 MB through `aggregate`: within the memory that an aggregate may take by default. */
import assert from 'node:assert/strict';
import { statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { runProcess } from '../bench/measure.js';
import { writeLargeProfile } from '../helpers/large-profile.js';
import { root } from '../helpers/pipe.js';
import { temporaryFolder } from '../helpers/temporary.js';

const bin = join(root, 'dist', 'core', 'cli', 'bin.js');
const skip = process.platform === 'linux' ? false : 'NOT RUN: memory is read from /proc';

test('300 MB with 200,000 distinct stacks', { skip }, async (t) => {
  const folder = temporaryFolder(t);
  const large = join(folder, 'large.pb');
  assert.ok(writeLargeProfile(large, { samples: 5_600_000, stacks: 200_000 }) > 300e6);
  const pipeline = join(folder, 'merge.yml');
  const out = join(folder, 'out.pb.gz');
  const input = { file: { paths: [large] } };
  writeFileSync(pipeline, JSON.stringify({ input, stages: [{ aggregate: {} }], output: [{ file: { path: out } }] }));
  const { ms, peakMiB } = await runProcess(process.execPath, [bin, 'run', pipeline, '--quiet', '--workers', '2']);
  t.diagnostic(`${(ms / 1000).toFixed(1)} s, ${peakMiB.toFixed(0)} MiB; ${(statSync(out).size / 1e6).toFixed(0)} MB`);
  assert.ok(peakMiB > 0 && peakMiB <= 512, `${peakMiB} MiB`);
});
