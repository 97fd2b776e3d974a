/** A profile too large to be decoded whole, through `aggregate`: the same bytes as of the whole, and all of it or nothing. */
import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { block, packed } from './helpers/assemble-pprof.js';
import { writeLargeProfile } from './helpers/large-profile.js';
import { pipe } from './helpers/pipe.js';
import { temporaryFolder } from './helpers/temporary.js';

/** 38 MB: what has more than 32 MiB comes in pieces. */
const LARGE = { samples: 700_000, stacks: 3_000 };

test('a large profile in pieces', (t) => {
  const folder = temporaryFolder(t);
  const large = join(folder, 'large.pb');
  const small = join(folder, 'small.pb');
  const spoilt = join(folder, 'spoilt.pb');
  assert.ok(writeLargeProfile(large, LARGE) > 36e6);
  // Its last sample, which is read when nearly all of it was added, is of no location.
  const end = block(2, packed(1, 123_456), packed(2, 1, 1));
  writeLargeProfile(spoilt, { ...LARGE, end });
  writeLargeProfile(small, { samples: 100, stacks: 50 });

  const run = (name: string, paths: string[], options: Parameters<typeof pipe>[1] = {}, ...args: string[]) => {
    const out = join(folder, 'out', name);
    const pipeline = join(folder, `${name}.yml`);
    const stages = [{ aggregate: {} }];
    writeFileSync(pipeline, JSON.stringify({ input: { file: { paths } }, stages, output: [{ file: { path: out } }] }));
    const { exitCode, stderr } = pipe(['run', pipeline, ...args], options);
    assert.ok(exitCode === 0 || exitCode === 20, stderr);
    return { exitCode, stderr, bytes: readFileSync(out) };
  };
  // A pipe can be read only once, so what comes through it is decoded whole where no worker is to hold it.
  const whole = run('whole.pb.gz', ['-'], { input: readFileSync(large) }, '--in-process');
  const inPieces = run('pieces.pb.gz', [large]);
  assert.ok(inPieces.bytes.equals(whole.bytes));

  const both = run('both.pb.gz', [small, large], {}, '--workers', '2');
  const withSpoilt = run('spoilt.pb.gz', [large, spoilt, small], {}, '--workers', '1');
  assert.equal(withSpoilt.exitCode, 20, withSpoilt.stderr);
  assert.match(withSpoilt.stderr, /Profile\.sample\[700000\]\.location_id\[0\]/);
  assert.ok(withSpoilt.bytes.equals(both.bytes));
});
