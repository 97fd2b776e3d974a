import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { findFiles } from './find-files.js';

const home = mkdtempSync(join(tmpdir(), 'profpipe-find-'));
after(() => rmSync(home, { recursive: true }));

function tree(): string {
  const root = mkdtempSync(join(home, 'tree-'));
  mkdirSync(join(root, 'b/deep'), { recursive: true });
  for (const name of [
    'z.pb.gz',
    'a.pb.gz',
    'b/c.pb.gz',
    'b/deep/d.pb.gz',
    'b/notes.txt',
    '.hidden.pb.gz',
    'odd[1].pb.gz',
  ]) {
    writeFileSync(join(root, name), '');
  }
  symlinkSync(root, join(root, 'b/loop'));
  return root;
}

const names = (root: string, pattern: string) =>
  findFiles(join(root, pattern))?.map(({ path }) => String(path).slice(root.length + 1));

test('a folder means all files below it, in order of their bytes, without dot files and loops', () => {
  assert.deepEqual(names(tree(), ''), [
    'a.pb.gz',
    'b/c.pb.gz',
    'b/deep/d.pb.gz',
    'b/notes.txt',
    'odd[1].pb.gz',
    'z.pb.gz',
  ]);
});

test('globs match below their fixed part', () => {
  assert.deepEqual(names(tree(), '*.pb.gz'), ['a.pb.gz', 'odd[1].pb.gz', 'z.pb.gz']);
  assert.deepEqual(names(tree(), '**/*.pb.gz'), ['a.pb.gz', 'b/c.pb.gz', 'b/deep/d.pb.gz', 'odd[1].pb.gz', 'z.pb.gz']);
  assert.deepEqual(names(tree(), 'b/{c,x}.pb.gz'), ['b/c.pb.gz']);
});

test('a file whose name looks like a glob is that file', () => {
  assert.deepEqual(names(tree(), 'odd[1].pb.gz'), ['odd[1].pb.gz']);
});

test('an escaped wildcard is a character of a name, in folders before a glob and in file names', () => {
  const root = tree();
  for (const folder of ['Project (1)', 'x{y}', 'q[z]*']) {
    mkdirSync(join(root, folder));
    writeFileSync(join(root, folder, 'e(2).pb'), '');
    const escaped = folder.replaceAll(/[*[\]()]/g, '\\$&').replaceAll(/[{}]/g, '[$&]');
    assert.deepEqual(names(root, `${escaped}/*.pb`), [`${folder}/e(2).pb`]);
    assert.deepEqual(names(root, `${escaped}/e(2).pb`), [`${folder}/e(2).pb`]);
  }
});

test('a link that leads back to itself is a file: that it cannot be read is for the reader to say', () => {
  const root = tree();
  symlinkSync('itself', join(root, 'b/deep/itself'));
  assert.deepEqual(names(root, 'b/deep'), ['b/deep/d.pb.gz', 'b/deep/itself']);
  assert.deepEqual(names(root, 'b/deep/itself'), ['b/deep/itself']);
});

test('nothing there, or nothing that matches, is undefined', () => {
  assert.equal(names(tree(), 'missing.pb.gz'), undefined);
  assert.equal(names(tree(), '*.nothing'), undefined);
  assert.equal(names(tree(), 'missing/*.pb.gz'), undefined);
});

test('names that are no UTF-8 are found, and kept as bytes', () => {
  const root = tree();
  writeFileSync(Buffer.concat([Buffer.from(`${root}/b/deep/`), Buffer.from([0x66, 0xff, 0x6f])]), '');
  const found = findFiles(join(root, 'b/deep'))!;
  const [, odd] = found;
  assert.ok(odd!.path instanceof Uint8Array);
  assert.match(odd!.display, /f\ufffdo$/);
});
