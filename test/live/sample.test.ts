/** The recipe of the embedded sample, on this machine: build, profile, enrich, and what Go's own tool makes of the result. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { brotliDecompressSync } from 'node:zlib';
import type { RunSummary } from '../../core/engine/contract/telemetry.js';
import { hasTool } from '../helpers/go-toolchain.js';
import { pipe, root } from '../helpers/pipe.js';
import { temporaryFolder } from '../helpers/temporary.js';

const isHere = process.arch === 'x64' && process.platform === 'linux';
const skip = isHere && hasTool('go') ? false : 'NOT RUN: needs go, on Linux on amd64';

test('the recipe makes a sample that enrich marks and go tool pprof reads', { skip }, (t) => {
  const folder = temporaryFolder(t);
  const recipe = join(root, 'pipelines', 'samples', 'make.mjs');
  // A busy machine takes fewer samples than it should: that is no fault of the recipe.
  execFileSync(process.execPath, [recipe, '--out', folder, '--seconds', '3', '--tolerance', '0.6'], {
    env: { ...process.env, GOTOOLCHAIN: 'go1.26.8' },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  writeFileSync(join(folder, 'service'), brotliDecompressSync(readFileSync(join(folder, 'service.br'))));
  const parameters = { profile: join(folder, 'cpu.pb.gz'), exe: join(folder, 'service'), out: join(folder, 'out') };
  const set = Object.entries(parameters).flatMap(([name, value]) => ['--set', `${name}=${value}`]);
  const { exitCode, stdout, stderr } = pipe(['run', 'enrich.yml', '--json', ...set]);
  assert.equal(exitCode, 0, stderr);

  const summary: RunSummary = JSON.parse(stdout);
  assert.ok(summary.counters.mark!.locations_marked! > 0);
  const top = execFileSync('go', ['tool', 'pprof', '-top', '-symbolize=none', join(folder, 'out', 'enriched.pb.gz')], {
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  for (const name of ['main.longestCommonSubsequence', 'runtime.boundcheck']) assert.match(top, new RegExp(name));
  JSON.parse(readFileSync(join(folder, 'out', 'enriched.json'), 'utf8'));
});
