import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { deflateRawSync, gzipSync } from 'node:zlib';
import { FormatError } from '../errors.js';
import { Budget, type Limits } from '../limits.js';
import { gzip } from './gzip-write.js';
import { openInput } from './input.js';
import { loadPakoZlib, loadZlib } from './load-zlib.js';

const text = Buffer.from(
  Array.from({ length: 40 }, (_, i) => `line ${i % 7} of a text that repeats itself; `).join(''),
);

async function* inPieces(bytes: Uint8Array, size: number): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}

async function read(source: Uint8Array | AsyncIterable<Uint8Array>, limits: Partial<Limits> = {}) {
  const input = openInput(source, new Budget(limits));
  const bytes = Buffer.from(await input.readAll(2 ** 31));
  return { bytes, input };
}

/** A source that is too large to be gathered: padded by an empty stored deflate block for every `0 0 0 ff ff`. */
function largeGzip(content: Uint8Array): Buffer {
  const deflated = deflateRawSync(content);
  const filler = Buffer.alloc(5 * 900_000);
  for (let at = 0; at < filler.length; at += 5) filler.set([0, 0, 0, 0xff, 0xff], at);
  const whole = gzipSync(content);
  return Buffer.concat([whole.subarray(0, 10), filler, deflated, whole.subarray(-8)]);
}

async function rejects(bytes: Uint8Array, code: string, offset: number | undefined, limits: Partial<Limits> = {}) {
  for (const source of [bytes, inPieces(bytes, 7)]) {
    await assert.rejects(read(source, limits), (error: unknown) => {
      assert.ok(error instanceof FormatError, String(error));
      assert.equal(error.code, code, error.describe());
      if (offset !== undefined) assert.equal(error.place.offset, offset, error.describe());
      return true;
    });
  }
}

describe('gzip', () => {
  test('is read whole, in pieces of any size, and when it is too large to be gathered', async () => {
    const bytes = gzipSync(text);
    assert.deepEqual((await read(bytes)).bytes, text);
    assert.deepEqual((await read(inPieces(bytes, 1))).bytes, text);
    assert.deepEqual((await read(largeGzip(text))).bytes, text);
    assert.deepEqual((await read(inPieces(largeGzip(text), 100_000))).bytes, text);
    assert.equal((await read(bytes)).input.compression, 'gzip');
  });

  test('output beyond the one-shot size comes in pieces that are equal in sum', async () => {
    const large = Buffer.alloc(20 * 2 ** 20);
    for (let i = 0; i < large.length; i += 64) large.writeUInt32LE(Math.imul(i, 2654435761) >>> 0, i);
    const bytes = gzipSync(large, { level: 1 });
    let pieces = 0;
    const input = openInput(bytes, new Budget());
    for await (const _ of input.chunks()) pieces++;
    assert.ok(pieces > 10);
    assert.deepEqual((await read(bytes)).bytes, large);
  });

  test('several members are one stream', async () => {
    const bytes = Buffer.concat([gzipSync(text), gzipSync(''), gzipSync(text)]);
    for (const source of [bytes, inPieces(bytes, 5)]) {
      assert.deepEqual((await read(source)).bytes, Buffer.concat([text, text]));
    }
  });

  test('headers with extra field, name, comment and checksum are passed over', async () => {
    const plain = gzipSync(text);
    const head = Buffer.from([0x1f, 0x8b, 8, 4 | 8 | 16, 0, 0, 0, 0, 0, 255, 3, 0, 1, 2, 3]);
    const bytes = Buffer.concat([head, Buffer.from('name\0comment\0'), plain.subarray(10)]);
    for (const source of [bytes, inPieces(bytes, 3)]) assert.deepEqual((await read(source)).bytes, text);
    const checked = Buffer.from([0x1f, 0x8b, 8, 2, 0, 0, 0, 0, 0, 255, 0, 0]);
    await rejects(Buffer.concat([checked, plain.subarray(10)]), 'E_GZIP_HEADER', 10);
  });

  test('zero padding behind the last member is taken with a note', async () => {
    const bytes = Buffer.concat([gzipSync(text), Buffer.alloc(100)]);
    for (const source of [bytes, largePadded()]) {
      const { bytes: output, input } = await read(source);
      assert.deepEqual(output, text);
      assert.deepEqual(
        input.notes.map((note) => note.code),
        ['gzip_trailing_zeros'],
      );
    }
    function largePadded() {
      return Buffer.concat([largeGzip(text), Buffer.alloc(100)]);
    }
  });

  test('truncation, checksum, length, garbage, reserved flags each have their code and offset', async () => {
    const bytes = gzipSync(text);
    for (const end of [5, 12, bytes.length - 9, bytes.length - 8, bytes.length - 1]) {
      await rejects(bytes.subarray(0, end), 'E_GZIP_TRUNCATED', end);
    }
    const crc = Buffer.from(bytes);
    crc[bytes.length - 8]! ^= 1;
    await rejects(crc, 'E_GZIP_CRC', bytes.length - 8);
    const size = Buffer.from(bytes);
    size[bytes.length - 4]! ^= 1;
    await rejects(size, 'E_GZIP_LENGTH', bytes.length - 4);
    await rejects(Buffer.concat([bytes, Buffer.from('\0\0x')]), 'E_GZIP_TRAILING', bytes.length + 2);
    const flags = Buffer.from(bytes);
    flags[3] = 0x20;
    await rejects(flags, 'E_GZIP_HEADER', 3);
    const extra = Buffer.from([0x1f, 0x8b, 8, 4, 0, 0, 0, 0, 0, 255, 0xff, 0xff, 1, 2]);
    await rejects(extra, 'E_GZIP_TRUNCATED', extra.length);
    const data = Buffer.from(bytes);
    data.fill(0xff, 10, 20);
    await rejects(data, 'E_GZIP_DATA', 10);
  });

  test('a bomb is stopped by ratio and by size', async () => {
    const bomb = gzipSync(Buffer.alloc(64 * 2 ** 20), { level: 9 });
    await rejects(bomb, 'E_DECOMPRESSED_LIMIT', undefined);
    await rejects(gzipSync(text), 'E_DECOMPRESSED_LIMIT', undefined, { decompressedBytes: 100 });
  });

  test('two layers are opened, three are refused', async () => {
    assert.deepEqual((await read(gzipSync(gzipSync(text)))).bytes, text);
    await rejects(gzipSync(gzipSync(gzipSync(text))), 'E_NESTED', undefined);
  });

  test('pako reads and writes what node:zlib does', async () => {
    const pieces = [text, Buffer.concat([text, text]), Buffer.from('end')];
    for (const zlib of [await loadZlib(), await loadPakoZlib()]) {
      const written = Buffer.concat(await gzip(pieces, 6, zlib));
      assert.deepEqual((await read(written)).bytes, Buffer.concat(pieces), zlib.name);
      const { output, consumed } = zlib.inflateRawSync(deflateRawSync(text), 2 ** 20, 0)!;
      assert.deepEqual(Buffer.from(output), text, zlib.name);
      assert.equal(consumed, deflateRawSync(text).length, zlib.name);
      assert.equal(zlib.inflateRawSync(deflateRawSync(text), 100, 0), undefined, zlib.name);
      assert.equal(zlib.crc32(text.subarray(9), zlib.crc32(text.subarray(0, 9), 0)), zlib.crc32(text, 0));
      assert.equal(zlib.crc32(Buffer.from('123456789'), 0), 0xcbf43926);
    }
  });
});

describe('zstd', () => {
  /** `text` by the zstd program: level 19, with checksum. */
  const file = Buffer.from(
    'KLUv/WTwBA0CAMICChCg7QDBt8Iipar5m90AqWI1ppAhQg9ahleFTzu/PtP76DeLWkHN1AoIAOM0rB8AfsDDgEeA54CHAS+cLvUEh1hvBg==',
    'base64',
  );
  const skippable = Buffer.from([0x5a, 0x2a, 0x4d, 0x18, 3, 0, 0, 0, 1, 2, 3]);

  test('frames, several and skippable ones, are read in pieces of any size', async () => {
    assert.deepEqual((await read(file)).bytes, text);
    const several = Buffer.concat([skippable, file, skippable, file]);
    for (const source of [several, inPieces(several, 1), inPieces(several, 9)]) {
      const { bytes, input } = await read(source);
      assert.deepEqual(bytes, Buffer.concat([text, text]));
      assert.equal(input.compression, 'zstd');
    }
  });

  test('a checksum that differs is found, though fzstd does not look', async () => {
    const bad = Buffer.from(file);
    bad[bad.length - 1]! ^= 1;
    await rejects(bad, 'E_ZSTD_CHECKSUM', file.length - 4);
  });

  test('a declared size that is not the real one is refused without allocating it', async () => {
    // Header with an 8-byte content size of 2^60 and a window of 1 KiB; one raw last block of three bytes.
    const lie = Buffer.from([0x28, 0xb5, 0x2f, 0xfd, 0xc0, 0, 0, 0, 0, 0, 0, 0, 0, 0x10, 0x19, 0, 0, 1, 2, 3]);
    await rejects(lie, 'E_ZSTD_LENGTH', 0);
    const window = Buffer.from([0x28, 0xb5, 0x2f, 0xfd, 0xe0, 0, 0, 0, 0, 0, 0, 0, 0x10, 0x19, 0, 0, 1, 2, 3]);
    await rejects(window, 'E_LIMIT', 5);
  });

  test('truncation, garbage and reserved values have codes', async () => {
    for (const end of [4, 6, 20, file.length - 5, file.length - 1]) {
      await rejects(file.subarray(0, end), 'E_ZSTD_TRUNCATED', end);
    }
    await rejects(Buffer.concat([file, Buffer.from('garbage')]), 'E_ZSTD_TRAILING', file.length);
    const dictionary = Buffer.from(file);
    dictionary[4]! |= 1;
    await rejects(dictionary, 'E_ZSTD_HEADER', 4);
  });

  test('a bomb of RLE blocks is stopped by the ratio', async () => {
    const block = Buffer.from([0x02, 0x00, 0x10, 0x61]);
    const bomb = Buffer.concat([
      Buffer.from([0x28, 0xb5, 0x2f, 0xfd, 0, 0x58]),
      ...Array.from({ length: 400 }, () => block),
    ]);
    await rejects(bomb, 'E_DECOMPRESSED_LIMIT', undefined);
  });
});

test('bytes without a known magic come as they are', async () => {
  const { bytes, input } = await read(text);
  assert.deepEqual(bytes, text);
  assert.equal(input.compression, 'none');
  assert.equal((await openInput(new Uint8Array(0), new Budget()).head()).length, 0);
});

test('head does not consume, and is at most 4 KiB', async () => {
  const long = Buffer.concat(Array.from({ length: 10 }, () => text));
  const input = openInput(gzipSync(long), new Budget());
  assert.deepEqual(Buffer.from(await input.head()), long.subarray(0, 4096));
  assert.equal((await input.readAll(2 ** 20)).length, long.length);
});

test('a source over the limit fileBytes is refused', async () => {
  await rejects(text, 'E_LIMIT', undefined, { fileBytes: 100 });
});
