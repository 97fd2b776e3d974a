/** The shipped pipeline on the embedded dump of a real server, against what can be counted in its text. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { pipe, root } from './helpers/pipe.js';
import { temporaryFolder } from './helpers/temporary.js';

const text = readFileSync(join(root, 'pipelines', 'samples', 'goroutines.txt'), 'utf8');
const headers = text.split('\n').filter((line) => line.startsWith('goroutine '));

test('goroutines.yml makes a profile of the embedded dump', (t) => {
  const folder = temporaryFolder(t);
  const { exitCode, stderr } = pipe(['run', 'goroutines.yml', '--set', `out=${folder}`]);
  assert.equal(exitCode, 0, stderr);
  const profile = join(folder, 'goroutines.pb.gz');
  const { stdout } = pipe(['profile', 'text', profile]);
  const samples = Array.from(
    stdout.matchAll(/^sample \d+: (\d+) stack ([\d ]*)\{(.*)\}$/gm),
    ([, count, , labels]) => ({
      count: Number(count),
      labels: labels!,
    }),
  );
  const withLabel = (pattern: RegExp) =>
    samples.filter(({ labels }) => pattern.test(labels)).reduce((sum, { count }) => sum + count, 0);
  const inText = (pattern: RegExp) => headers.filter((line) => pattern.test(line)).length;

  assert.equal(withLabel(/state=/), headers.length);
  for (const [label, header] of [
    [/state="chan send"/, /\[chan send\b/],
    [/state=sync\.Mutex\.Lock/, /\[sync\.Mutex\.Lock\b/],
    [/wait_minutes=1:minutes/, /, 1 minutes/],
    [/locked=thread/, /locked to thread/],
    [/pool=thumbnails/, /pool: thumbnails/],
    [/tenant=acme/, /tenant: acme/],
  ] as const) {
    assert.ok(inText(header) > 0, String(header));
    assert.equal(withLabel(label), inText(header), String(label));
  }
  const created = text.match(/^created by net\/http\.\(\*Server\)\.Serve in/gm)!.length;
  assert.equal(withLabel(/created_by=net\/http\.\(\*Server\)\.Serve/), created);
});
