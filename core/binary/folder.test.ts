import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { temporaryFolder } from '../../test/helpers/temporary.js';
import { makeFolder } from './folder.js';

test('folders above are made, the mode is of the last one, and what is there stays', (t) => {
  const folder = temporaryFolder(t);
  makeFolder(join(folder, 'a/b/c'), 0o700);
  assert.equal(statSync(join(folder, 'a/b/c')).mode & 0o777, 0o700);
  assert.notEqual(statSync(join(folder, 'a/b')).mode & 0o777, 0o700);
  makeFolder(join(folder, 'a/b/c'));
  symlinkSync('b', join(folder, 'a/link'));
  makeFolder(join(folder, 'a/link/d'));
  assert.ok(existsSync(join(folder, 'a/b/d')));
});

test('a file in the way, a link to nothing and a folder that refuses are errors', (t) => {
  const folder = temporaryFolder(t);
  writeFileSync(join(folder, 'file'), '');
  symlinkSync('nothing', join(folder, 'dangling'));
  assert.throws(() => makeFolder(join(folder, 'file')), { code: 'EEXIST' });
  assert.throws(() => makeFolder(join(folder, 'file/below')), { code: 'ENOTDIR' });
  assert.throws(() => makeFolder(join(folder, 'dangling')), { code: 'EEXIST' });
});

// In a process of its own: what is wrong here does not come back, in this thread.
test('/proc, where ENOENT does not mean that the folder above is missing', {
  skip: !existsSync('/proc/self/stat'),
}, () => {
  const module = new URL('./folder.js', import.meta.url).href;
  const script = `import { makeFolder } from ${JSON.stringify(module)};
    try { makeFolder('/proc/profpipe/x'); } catch (error) { console.log(error.code); }`;
  const said = execFileSync(process.execPath, ['--input-type=module', '-e', script], {
    timeout: 60_000,
    encoding: 'utf8',
  });
  assert.match(said, /^(ENOENT|EACCES|EPERM)\n$/);
});
