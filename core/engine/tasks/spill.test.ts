import assert from 'node:assert/strict';
import { existsSync, mkdirSync, readdirSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { temporaryFolder } from '../../../test/helpers/temporary.js';
import { RunStopped } from '../contract/errors.js';
import { openSpill, readSpilled } from './spill.js';

test('what is read is what was written, and nothing is left behind', async (t) => {
  const folder = temporaryFolder(t);
  const spill = await openSpill(folder, 64, 2);
  assert.equal(spill.partialBytes, 8);
  assert.deepEqual(readdirSync(folder), []);
  const partials = [[Uint8Array.of(1, 2, 3), new Uint8Array(0), new Uint8Array(100_000).fill(7)], []];
  await Promise.all(partials.map((partial) => spill.write(partial)));
  assert.equal(readdirSync(folder).length, 1);
  // The shorter one may be there first.
  const paths = [...spill.take()].sort((a, b) => statSync(b).size - statSync(a).size);
  assert.deepEqual(spill.take(), []);
  assert.deepEqual(
    paths.map((path) => readSpilled(path).map((piece) => Uint8Array.from(piece))),
    partials,
  );
  truncateSync(paths[0]!, 1000);
  assert.throws(() => readSpilled(paths[0]!), RangeError);
  await spill.remove(paths);
  assert.ok(!existsSync(paths[0]!));
  await spill.close();
  await spill.close();
  assert.deepEqual(readdirSync(folder), []);
});

test('what a killed run left is removed at the next start, and nothing else', async (t) => {
  const folder = temporaryFolder(t);
  const running = await openSpill(folder, 64, 1);
  await running.write([Uint8Array.of(1)]);
  mkdirSync(join(folder, '.profpipe-999999999-1-0123456789abcdef.tmp'));
  writeFileSync(join(folder, '.profpipe-999999999-1-0123456789abcdef.tmp', '0'), 'half');
  writeFileSync(join(folder, '.profpipe-mine.tmp'), '');
  await openSpill(folder, 64, 1);
  assert.ok(existsSync(running.take()[0]!));
  assert.equal(readdirSync(folder).length, 2);
  await running.close();
  assert.deepEqual(readdirSync(folder), ['.profpipe-mine.tmp']);
});

test('a disk that takes nothing stops the run', async (t) => {
  const folder = temporaryFolder(t);
  writeFileSync(join(folder, 'file'), '');
  const spill = await openSpill(join(folder, 'file'), 64, 1);
  await assert.rejects(
    spill.write([Uint8Array.of(1)]),
    (error) => error instanceof RunStopped && error.code === 'E_SPILL' && /ENOTDIR/.test(error.message),
  );
});
