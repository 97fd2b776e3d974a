/**
 * Whatever the bytes, compressed or not, the pprof codec gives a valid Profile that it writes and reads again as the same, or throws
 * FormatError; and the merge takes what it gave.
 */

import assert from 'node:assert/strict';
import { gzipSync } from 'node:zlib';
import {
  addProfile,
  Budget,
  checkProfile,
  defaultLimits,
  FormatError,
  finishMerge,
  type ItemContext,
  MergeState,
  openInput,
} from '../../core/index.js';
import { testItem } from '../../core/testing/context.js';
import { decodeProfile } from '../../plugins/codecs/pprof/decode.js';
import { encodePieces } from '../../plugins/codecs/pprof/encoder.js';
import { block, int, packed } from '../helpers/assemble-pprof.js';
import { randomProfile } from '../helpers/random-profile.js';
import { fuzz } from './mutate.js';

const context: ItemContext = {
  item: testItem(0),
  limits: { ...defaultLimits, decompressedBytes: 2 ** 24 },
  signal: new AbortController().signal,
  count: () => {},
  warn: () => {},
};

const decode = (bytes: Uint8Array) => decodeProfile(openInput(bytes, new Budget(context.limits)), context);
const encode = (profile: Awaited<ReturnType<typeof decode>>) => Buffer.concat([...encodePieces(profile)]);

async function run(bytes: Uint8Array): Promise<void> {
  const profile = await decode(bytes);
  assert.deepEqual(checkProfile(profile), []);
  const written = encode(profile);
  assert.ok(encode(await decode(written)).equals(written), 'a second round trip differs');
  const state = new MergeState();
  addProfile(state, profile, context.item);
  assert.deepEqual(checkProfile(finishMerge(state).profile), []);
}

/** zstd by hand: a frame of one raw block, without checksum. */
function zstd(bytes: Uint8Array): Buffer {
  const block = Buffer.from([0, 0, 0]);
  block.writeUIntLE((bytes.length << 3) | 1, 0, 3);
  return Buffer.concat([Buffer.from([0x28, 0xb5, 0x2f, 0xfd, 0, 0x58]), block, bytes]);
}

/** As Go's runtime writes: what is referred to comes last. */
const goLike = Buffer.concat([
  block(1, int(1, 1), int(2, 2)),
  block(2, packed(1, 1, 2), packed(2, 1), block(3, int(1, 3), int(3, 5))),
  block(4, int(1, 1), int(3, 0x1000), block(4, int(1, 1), int(2, 3)), int(2, 1)),
  block(5, int(1, 1), int(2, 3), int(3, 3), int(4, 4), int(5, 10)),
  block(4, int(1, 2), int(3, 0xffffffffff600000n)),
  block(11, int(1, 1), int(2, 2)),
  int(12, 10_000_000),
  block(3, int(1, 1), int(2, 0x1000), int(3, 0x2000), int(5, 4)),
  ...['', 'cpu', 'nanoseconds', 'main', 'main.go'].map((text) => block(6, text)),
]);
const rich = [3, 4, 5, 6].map((seed) => randomProfile(seed, 12, { invalidUtf8: seed % 2 === 0 }));
const small = rich.map((profile) => ({
  ...profile,
  samples: { ...profile.samples, values: profile.samples.values.map((v) => v >> 8n) },
}));

await fuzz({
  name: 'pprof',
  seeds: [
    { bytes: goLike },
    ...small.map((profile) => ({ bytes: encode(profile) })),
    { bytes: gzipSync(goLike) },
    { bytes: Buffer.concat([gzipSync(goLike.subarray(0, 50)), gzipSync(goLike.subarray(50))]) },
    { bytes: zstd(goLike) },
  ],
  run,
  isAllowed: (error) => error instanceof FormatError,
  maxMs: 1_000,
});
