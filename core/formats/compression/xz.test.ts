import assert from 'node:assert/strict';
import { test } from 'node:test';
import { crc32 } from 'node:zlib';
import { bytes, type Part, u8, u32, zeros } from '../../../test/helpers/assemble.js';
import { assertFormatError } from '../../../test/helpers/format-error.js';
import { crc64 } from './crc64.js';
import { unxz } from './xz.js';

/** Made by `xz 5.4.1`, `xz -9` and `xz --check=crc32 --lzma2=lc=1,lp=2,pb=1`, of "the quick brown fox " 40 times with a number behind each. */
const text = Array.from({ length: 40 }, (_, number) => `the quick brown fox ${number} `).join('');
const packed = {
  crc64:
    '/Td6WFoAAATm1rRGAgAhARwAAAAQz1jM4AONAHFdADoaCM52x+Xp1gc0w9EOv85V4aq94NU/yQ3cVj08wXMFWrf4XUk+gsjJtH0DrCAqxiIH7xTCSdiATEZwcRCmJcOlIRSy9xI9QBfukmJXj/X1ga8JSTFIOJ4aDFAE0mlbykGK8/Wr/+a3WQu6ss2TRmTsAAAAAJQdLtERwKc2AAGNAY4HAADmLdJUscRn+wIAAAAABFla',
  crc32:
    '/Td6WFoAAAFpIt42AgAhARYAAAB0L+Wj4AONAHVAADoaCQckkW5uKn8p1749zvNO13zT/OBE2LslPXYYt3sN+rNSKVYfyDlG51JiwW51miLsbkA4vRMHHgcIVhaaJnWubMt9tp2r79g2V3I0kiZRbhnoYhC4Zabg+fUYtN3KdFUmAFscAkpiPB8YST8lTMwnafHnfQAAAAAv3Ht1AAGNAY4HAADmLdJUPjANiwIAAAAAAVla',
};

const unpack = (base64: string) => unxz(Buffer.from(base64, 'base64'), 2 ** 20, 'data');

interface Lies {
  readonly blockFlags?: number;
  readonly filter?: number;
  readonly check?: number;
  readonly indexedBytes?: number;
  readonly blockCount?: number;
  readonly crc?: number;
}

/** A stream of one block with chunks as they are given. */
function xz(chunks: Part, contentBytes: number, content: Uint8Array, lies: Lies = {}): Uint8Array {
  const withCrc = (...parts: Part[]) => {
    const whole = bytes(...parts);
    return bytes(whole, u32(crc32(whole)));
  };
  const flags = bytes(u8(0), u8(lies.check ?? 1));
  const header = withCrc(u8(2), u8(lies.blockFlags ?? 0), u8(lies.filter ?? 0x21), u8(1), u8(8), zeros(3));
  const data = bytes(chunks);
  const padding = zeros((4 - (data.length % 4)) % 4);
  const index = withCrc(
    padded(bytes(u8(0), u8(lies.blockCount ?? 1), u8(16 + data.length), u8(lies.indexedBytes ?? contentBytes))),
  );
  const footer = bytes(u32(index.length / 4 - 1), flags);
  return bytes(
    bytes(u8(0xfd), '7zXZ', u8(0), flags, u32(crc32(flags))),
    bytes(header, data, padding, u32(lies.crc ?? crc32(content))),
    bytes(index, u32(crc32(footer)), footer, 'YZ'),
  );
}

function padded(part: Uint8Array): Uint8Array {
  return bytes(part, zeros((4 - (part.length % 4)) % 4));
}

/** Chunks of plain bytes, and their end. */
const plain = (content: string) => bytes(u8(1), u8(0), u8(content.length - 1), content, u8(0));
const unpackPlain = (content: string, lies: Lies = {}) =>
  Buffer.from(unxz(xz(plain(content), content.length, Buffer.from(content), lies), 2 ** 20, 'data')).toString();

test('what xz wrote is read, with either checksum', () => {
  assert.equal(Buffer.from(unpack(packed.crc64)).toString(), text);
  assert.equal(Buffer.from(unpack(packed.crc32)).toString(), text);
});

test('a stream of plain chunks is read, and one without blocks', () => {
  assert.equal(unpackPlain('hello'), 'hello');
  const empty = Buffer.from('/Td6WFoAAATm1rRGAAAAABzfRCEftvN9AQAAAAAEWVo=', 'base64');
  assert.equal(unxz(empty, 0, 'data').length, 0);
});

test('CRC-64 has the check value of its catalogue', () => {
  assert.deepEqual(crc64(Buffer.from('123456789')), { low: 0xdf1939fa, high: 0x995dc9bb });
});

test('checksums and sizes that differ are refused', () => {
  assertFormatError(() => unpackPlain('hello', { crc: 1 }), 'E_XZ_CHECKSUM', { section: 'data' });
  assertFormatError(() => unpackPlain('hello', { indexedBytes: 4 }), 'E_XZ_LENGTH');
  assertFormatError(() => unpackPlain('hello', { blockCount: 2 }), 'E_XZ_LENGTH');
  const spoilt = Buffer.from(packed.crc64, 'base64');
  spoilt[7]! ^= 1;
  assertFormatError(() => unxz(spoilt, 2 ** 20, 'data'), 'E_XZ_CHECKSUM');
});

test('what is not supported is named', () => {
  assertFormatError(() => unpackPlain('hello', { check: 10 }), 'E_XZ_HEADER', { got: 10 });
  assertFormatError(() => unpackPlain('hello', { filter: 4 }), 'E_XZ_HEADER', { got: 4 });
  assertFormatError(() => unpackPlain('hello', { blockFlags: 1 }), 'E_XZ_HEADER', { got: 1 });
  assertFormatError(() => unxz(Buffer.from('no xz at all'), 9, 'data'), 'E_XZ_HEADER', { offset: 0 });
});

test('chunks that lie are refused', () => {
  const unpackChunks = (...chunks: Part[]) => unxz(xz(bytes(...chunks), 0, zeros(0)), 2 ** 20, 'data');
  const spoilt: Part[][] = [
    [u8(3)],
    // plain bytes without a dictionary
    [u8(2), u8(0), u8(0), 'a', u8(0)],
    // LZMA without properties, with some that are out of range, without a start
    [u8(0x80), zeros(4)],
    [u8(0xe0), zeros(4), u8(225)],
    [u8(0xe0), u8(0), u8(9), u8(0), u8(5), u8(0x5d), u8(1), zeros(5)],
    // a match where nothing was written yet
    [u8(0xe0), u8(0), u8(9), u8(0), u8(7), u8(0x5d), u8(0), u8(255), u8(255), u8(255), u8(254), zeros(4)],
  ];
  for (const chunks of spoilt) assertFormatError(() => unpackChunks(...chunks), 'E_LZMA_DATA', { section: 'data' });
  const long = bytes(u8(1), u8(0xff), u8(0xff), 'a');
  assertFormatError(() => unxz(xz(long, 0, zeros(0)), 2 ** 20, 'data'), 'E_LZMA_TRUNCATED');
});

test('every cut is refused, and more content than allowed', () => {
  const whole = Buffer.from(packed.crc64, 'base64');
  for (let length = 0; length < whole.length; length++) {
    assert.throws(() => unxz(whole.subarray(0, length), 2 ** 20, 'data'), { name: 'FormatError' }, `${length} bytes`);
  }
  assertFormatError(() => unxz(whole, text.length - 1, 'data'), 'E_LIMIT', {
    got: text.length,
    limit: text.length - 1,
  });
});
