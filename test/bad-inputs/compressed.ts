/** Rows B01 to B11, and their likes in zstd: files that are empty, unknown, or lie about how they are packed. */
import { gzipSync } from 'node:zlib';
import { bytes, hex, patch, repeat, u16, u32, zeros } from '../helpers/assemble.js';
import { gzip, gzipBomb, zstd, zstdBomb } from '../helpers/assemble-compressed.js';
import { block, int, pprof, tag, varint } from '../helpers/assemble-pprof.js';
import { type BadInput, delivered } from './case.js';

const profile = pprof();
const cut = (packed: Uint8Array, fewer: number) => packed.subarray(0, packed.length - fewer);
const packedLength = gzip(profile).length;

export const compressedInputs: readonly BadInput[] = [
  { name: 'B01 empty file', content: () => zeros(0), expected: { code: 'E_EMPTY' } },
  { name: 'B01 empty gzip member', content: () => gzip(zeros(0)), expected: { code: 'E_EMPTY' } },
  {
    name: 'B02 some text',
    content: () => bytes('Lorem ipsum dolor sit amet, consectetur adipiscing elit.\n'),
    expected: { code: 'E_UNKNOWN_FORMAT', got: '4c 6f 72 65 6d 20 69 70', message: /tried pprof, json/ },
  },
  {
    name: 'B02 a picture',
    content: () => hex('89 50 4e 47 0d 0a 1a 0a 00 00 00 0d 49 48 44 52'),
    expected: { code: 'E_UNKNOWN_FORMAT', got: '89 50 4e 47 0d 0a 1a 0a', message: /tried pprof, json/ },
  },
  {
    name: 'B03 gzip cut in the data',
    content: () => cut(gzip(profile), 20),
    expected: { code: 'E_GZIP_TRUNCATED', section: 'gzip', offset: packedLength - 20 },
  },
  {
    name: 'B03 gzip cut in the trailer',
    content: () => cut(gzip(profile), 3),
    expected: { code: 'E_GZIP_TRUNCATED', section: 'gzip', offset: packedLength - 3 },
  },
  {
    name: 'B03 gzip cut in the header',
    content: () => gzip(profile).subarray(0, 5),
    expected: { code: 'E_GZIP_TRUNCATED', section: 'gzip', offset: 5 },
  },
  {
    name: 'B04 gzip with a wrong checksum',
    content: () => gzip(profile, { crc: 0x12345678 }),
    expected: { code: 'E_GZIP_CRC', section: 'gzip', offset: packedLength - 8, message: /0x12345678.*0x[0-9a-f]{1,8}/ },
  },
  {
    name: 'B05 gzip with a wrong length',
    content: () => gzip(profile, { length: 99 }),
    expected: { code: 'E_GZIP_LENGTH', section: 'gzip', message: new RegExp(`99.*${profile.length}`) },
  },
  {
    name: 'B06 one profile in three members',
    content: () => bytes(gzip(profile.subarray(0, 20)), gzip(profile.subarray(20, 50)), gzip(profile.subarray(50))),
    expected: delivered,
  },
  {
    name: 'B06 two profiles in two members',
    content: () => bytes(gzip(profile), gzip(profile)),
    expected: { code: 'E_CONCATENATED' },
  },
  {
    name: 'B07 garbage behind a gzip member',
    content: () => bytes(gzip(profile), 'garbage'),
    expected: { code: 'E_GZIP_TRAILING', section: 'gzip', offset: packedLength, got: String('g'.charCodeAt(0)) },
  },
  {
    name: 'B08 zeros behind a gzip member',
    content: () => bytes(gzip(profile), zeros(512)),
    expected: { ...delivered, warning: 'trailing' },
  },
  { name: 'B10 gzip in gzip', content: () => gzipSync(gzipSync(profile)), expected: delivered },
  {
    name: 'B10 gzip in gzip in gzip',
    content: () => gzipSync(gzipSync(gzipSync(profile))),
    expected: { code: 'E_NESTED' },
  },
  {
    name: 'B11 gzip with reserved flags',
    content: () => gzip(profile, { flags: 0xe0 }),
    expected: { code: 'E_GZIP_HEADER', section: 'gzip', offset: 3 },
  },
  {
    name: 'B11 gzip with an extra field longer than the file',
    content: () => gzip(profile, { flags: 4, extra: u16(0xffff) }),
    expected: { code: 'E_GZIP_TRUNCATED', section: 'gzip' },
  },
  {
    name: 'B11 gzip with an unknown method',
    content: () => patch(gzip(profile), 2, hex('07')),
    expected: { code: 'E_GZIP_HEADER', section: 'gzip', offset: 2, got: '7' },
  },
  {
    name: 'gzip with spoilt data',
    content: () => gzip(profile, { data: hex('07 ff ff') }),
    expected: { code: 'E_GZIP_DATA', section: 'gzip' },
  },

  { name: 'zstd', content: () => zstd(profile), expected: delivered },
  {
    name: 'zstd in two frames with a skippable one between',
    content: () => bytes(zstd(profile.subarray(0, 30)), u32(0x184d2a50), u32(4), 'skip', zstd(profile.subarray(30))),
    expected: delivered,
  },
  {
    name: 'zstd cut',
    content: () => cut(zstd(profile), 10),
    expected: { code: 'E_ZSTD_TRUNCATED', section: 'zstd' },
  },
  {
    name: 'zstd that declares 2^60 bytes',
    content: () => zstd(profile, { contentSize: 2n ** 60n }),
    expected: { code: 'E_ZSTD_LENGTH', section: 'zstd', message: new RegExp(String(profile.length)) },
  },
  {
    name: 'zstd with a wrong checksum',
    content: () => zstd(profile, { checksum: 1 }),
    expected: { code: 'E_ZSTD_CHECKSUM', section: 'zstd' },
  },
  {
    name: 'zstd with a dictionary',
    content: () => zstd(profile, { descriptor: 1 }),
    expected: { code: 'E_ZSTD_HEADER', section: 'zstd', offset: 4 },
  },
  {
    name: 'zstd with garbage behind',
    content: () => bytes(zstd(profile), 'garbage'),
    expected: { code: 'E_ZSTD_TRAILING', section: 'zstd' },
  },
];

/** Each unfolds to 2 GiB; what it unfolds to decides which limit stops it. */
export const bombs: readonly BadInput[] = [
  {
    name: 'B09 gzip bomb of fields that say nothing',
    content: () => gzipBomb(profile, repeat(2 ** 23, int(12, 0)), 128),
    expected: { code: 'E_DECOMPRESSED_LIMIT' },
  },
  {
    name: 'B09 gzip bomb of empty strings',
    content: () => gzipBomb(profile, repeat(2 ** 23, block(6, '')), 128),
    expected: { code: 'E_DECOMPRESSED_LIMIT' },
  },
  {
    name: 'B09 gzip bomb of unknown fields',
    content: () => gzipBomb(profile, repeat(2 ** 22, int(100, 0)), 170),
    expected: { code: 'E_DECOMPRESSED_LIMIT' },
  },
  {
    name: 'B09 gzip bomb of one string',
    content: () => gzipBomb(bytes(profile, tag(6, 2), varint(2 ** 31)), repeat(2 ** 24, 'a'), 128),
    expected: { code: 'E_LENGTH', section: 'Profile', got: String(2 ** 31 + 6), limit: String(2 ** 24) },
  },
  {
    name: 'zstd bomb of fields that say nothing',
    content: () => zstdBomb(bytes(profile, int(12, 0).subarray(0, 1)), 0x60, 2 ** 14),
    expected: { code: 'E_DECOMPRESSED_LIMIT' },
  },
];
