/** A plugin whose `create` never ends: half a minute until the run is refused, so it is not among the quick tests. */
import assert from 'node:assert/strict';
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { pipe, root } from '../helpers/pipe.js';
import { temporaryFolder } from '../helpers/temporary.js';

test('a stage that hangs when it is made is a refusal, and nothing was written', (t) => {
  const folder = temporaryFolder(t);
  const plugin = join(root, 'test', 'hostile', 'kinds', 'hangs-when-made.mjs');
  const profile = join(root, 'pipelines', 'samples', 'goroutine.pb.gz');
  const lines = [
    `plugins: [${JSON.stringify(plugin)}]`,
    `input: { file: { paths: [${JSON.stringify(profile)}] } }`,
    'stages: [hangs-when-made: {}]',
    'output: [file: { path: out/x.pb.gz }]',
  ];
  writeFileSync(join(folder, 'p.yml'), lines.join('\n'));
  const { exitCode, stdout } = pipe(['run', 'p.yml', '--json', '--workers', '1'], { cwd: folder });
  assert.equal(exitCode, 2);
  assert.match(JSON.parse(stdout).error.message, /the plugins were not made: no end within 30 s/);
  assert.equal(existsSync(join(folder, 'out')), false);
});
