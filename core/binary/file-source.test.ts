import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { assertFormatError } from '../../test/helpers/format-error.js';
import { temporaryFolder, writeInto } from '../../test/helpers/temporary.js';
import { Budget } from '../formats/limits.js';
import { FileSource } from './file-source.js';

const content = Uint8Array.from({ length: 100_000 }, (_, at) => (at * 31) % 251);

test('any range reads as it is in the file, small and large, at block borders too', (t) => {
  const source = new FileSource(writeInto(temporaryFolder(t), 'f', content));
  assert.equal(source.size, content.length);
  for (const [offset, length] of [
    [0, 0],
    [0, 16],
    [16_380, 8],
    [16_384, 16_384],
    [99_999, 1],
    [100_000, 0],
    [5, 99_995],
  ] as const) {
    assert.deepEqual(
      source.read(offset, length, 'part'),
      content.subarray(offset, offset + length),
      `${length} at ${offset}`,
    );
  }
  source.release();
});

test('ranges that do not lie in the file are refused before anything is allocated', (t) => {
  const source = new FileSource(writeInto(temporaryFolder(t), 'f', content));
  assertFormatError(() => source.read(99_999, 2, 'part'), 'E_TRUNCATED', {
    section: 'part',
    got: 100_001,
    limit: 100_000,
  });
  assertFormatError(() => source.read(0, 2 ** 52, 'part'), 'E_TRUNCATED');
  assertFormatError(() => source.read(-1, 1, 'part'), 'E_TRUNCATED');
  assertFormatError(() => source.read(Number.NaN, 1, 'part'), 'E_TRUNCATED');
});

test('a range beyond the limit is refused by its part, also when a sparse file has it', (t) => {
  const path = writeInto(temporaryFolder(t), 'sparse', content);
  truncateSync(path, 2 ** 40);
  const source = new FileSource(path);
  assertFormatError(() => source.read(0, 2 ** 39, '.gopclntab'), 'E_LIMIT', { section: '.gopclntab', limit: 2 ** 28 });
  const own = new FileSource(path, new Budget({ objectTableBytes: 10 }));
  assertFormatError(() => own.read(0, 11, 'part'), 'E_LIMIT', { got: 11, limit: 10 });
});

test('the cache of small reads is bounded', (t) => {
  const source = new FileSource(writeInto(temporaryFolder(t), 'f', new Uint8Array(4 << 20)));
  for (let offset = 0; offset < source.size; offset += 4096) source.read(offset, 8, 'part');
  assert.equal(source.heldBytes, 64 << 14);
  source.release();
  assert.equal(source.heldBytes, 0);
});

test('a released file is opened again, unless it is another one by now', (t) => {
  const path = writeInto(temporaryFolder(t), 'f', content);
  const source = new FileSource(path);
  source.read(0, 1, 'part');
  source.release();
  assert.equal(source.read(7, 1, 'part')[0], content[7]);
  source.release();
  writeFileSync(path, content.subarray(1));
  assertFormatError(() => source.read(7, 1, 'part'), 'E_FILE_CHANGED');
});

test('a file that is gone by the time it is read is a FormatError with the cause', (t) => {
  const folder = temporaryFolder(t);
  const path = writeInto(folder, 'f', content);
  const source = new FileSource(path);
  execFileSync('rm', [path]);
  assertFormatError(() => source.read(0, 1, 'part'), 'E_IO');
});

test('what is no regular file is refused without opening it', (t) => {
  const folder = temporaryFolder(t);
  const fifo = join(folder, 'fifo');
  execFileSync('mkfifo', [fifo]);
  for (const path of [fifo, folder, '/dev/zero']) {
    assert.throws(() => new FileSource(path), { code: 'E_NOT_REGULAR' }, path);
  }
  assert.throws(() => new FileSource(join(folder, 'absent')), { code: 'ENOENT' });
});
