import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { closeSync, mkdtempSync, openSync, readdirSync, rmSync, truncateSync, writeFileSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { Budget } from '../../formats/limits.js';
import { readItem } from './read-item.js';

const item = (path: string) => ({ uri: path, name: 'x', data: { path } });
const home = mkdtempSync(join(tmpdir(), 'profpipe-read-'));
after(() => rmSync(home, { recursive: true }));
const fresh = (): string => join(mkdtempSync(join(home, 'item-')), 'file');
const openFiles = (): number => readdirSync('/proc/self/fd').length;

/** A sparse file of 65 MiB that begins with a few bytes: larger than what is read in one piece. */
function largeFile(): string {
  const path = fresh();
  const fd = openSync(path, 'w');
  writeSync(fd, 'begin');
  closeSync(fd);
  truncateSync(path, 65 * 2 ** 20);
  return path;
}

test('a small file comes whole, with its digest, and is closed', async () => {
  const path = fresh();
  writeFileSync(path, 'abc');
  const { source, digest } = await readItem(item(path), new Budget());
  assert.ok(source instanceof Uint8Array);
  assert.equal(Buffer.from(source).toString(), 'abc');
  assert.deepEqual(digest(), createHash('sha256').update('abc').digest());
});

test('a large file comes in pieces, and has its digest until it is closed', {
  skip: process.platform !== 'linux',
}, async () => {
  const path = largeFile();
  const before = openFiles();
  const { source, digest, close } = await readItem(item(path), new Budget());
  assert.ok(!(source instanceof Uint8Array));
  const hash = createHash('sha256');
  let size = 0;
  for await (const piece of source) {
    hash.update(piece);
    size += piece.length;
  }
  assert.equal(size, 65 * 2 ** 20);
  assert.deepEqual(digest(), hash.digest());
  await close();
  await close();
  assert.equal(openFiles(), before);
});

test('a large file that is left unread, or half read, is closed', { skip: process.platform !== 'linux' }, async () => {
  const path = largeFile();
  const before = openFiles();
  await (await readItem(item(path), new Budget())).close();
  const half = await readItem(item(path), new Budget());
  for await (const _ of half.source as AsyncIterable<Uint8Array>) break;
  await half.close();
  assert.equal(openFiles(), before);
});

test('a large file is read at any place, into memory that is given; not when it was changed meanwhile', async () => {
  const path = largeFile();
  const { readInto, close } = await readItem(item(path), new Budget());
  const room = new Uint8Array(8).fill(1);
  assert.equal(await readInto!(2, room), 8);
  assert.equal(Buffer.from(room).toString(), 'gin\0\0\0\0\0');
  assert.equal(await readInto!(65 * 2 ** 20 - 3, room), 3);
  assert.equal(await readInto!(65 * 2 ** 20, room), 0);
  assert.equal(await readInto!(66 * 2 ** 20, room), 0);
  truncateSync(path, 2 ** 20);
  assert.equal(await readInto!(2 ** 20 - 1, room), 1);
  await assert.rejects(readInto!(2 ** 20, room), { code: 'E_CHANGED' });
  await close();
});

test('a file over the limit is refused by its size', async () => {
  const path = largeFile();
  await assert.rejects(readItem(item(path), new Budget({ fileBytes: 1000 })), { code: 'E_LIMIT' });
});

const itemOf = (stream: AsyncIterable<Uint8Array>) => ({ uri: '-', name: 'x', data: { stream } });

async function* repeated(piece: Uint8Array, times: number): AsyncGenerator<Uint8Array> {
  for (let time = 0; time < times; time++) yield piece;
}

test('a stream comes whole when it is small, else in pieces, with the digest of what was read', async () => {
  const piece = Buffer.alloc(2 ** 20, 'abc');
  const small = await readItem(itemOf(repeated(piece, 8)), new Budget());
  assert.ok(small.source instanceof Uint8Array);
  assert.equal(small.source.length, 8 * piece.length);
  const large = await readItem(itemOf(repeated(piece, 30)), new Budget());
  assert.ok(!(large.source instanceof Uint8Array));
  const hash = createHash('sha256');
  let count = 0;
  for await (const given of large.source) {
    hash.update(given);
    count++;
  }
  assert.equal(count, 30);
  assert.deepEqual(Buffer.from(large.digest()), hash.digest());
  await large.close();
});

test('a stream that breaks off is an error of reading, at its start and further on', async () => {
  async function* breaking(pieces: number): AsyncGenerator<Uint8Array> {
    yield* repeated(Buffer.alloc(2 ** 20), pieces);
    throw new Error('EIO');
  }
  const error = { name: 'ItemError', code: 'E_READ', message: /EIO/ };
  await assert.rejects(readItem(itemOf(breaking(1)), new Budget()), error);
  const { source } = await readItem(itemOf(breaking(12)), new Budget());
  await assert.rejects(async () => {
    for await (const _ of source as AsyncIterable<Uint8Array>);
  }, error);
});
