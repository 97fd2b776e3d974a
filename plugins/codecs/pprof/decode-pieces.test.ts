/** A profile in pieces is the profile, and what is wrong with it is the same error. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { gzipSync } from 'node:zlib';
import fc from 'fast-check';
import {
  Budget,
  type ByteInput,
  checkProfile,
  defaultLimits,
  FormatError,
  openInput,
  type Profile,
  type WholeContext,
} from '../../../core/index.js';
import { testItem } from '../../../core/testing/context.js';
import { block, int, packed, pprof } from '../../../test/helpers/assemble-pprof.js';
import { arbitraryProfile } from '../../../test/helpers/random-profile.js';
import { decodeProfile } from './decode.js';
import { decodeInPieces } from './decode-pieces.js';
import { encodePieces } from './encoder.js';

/** A piece for nearly every sample. */
const tiny = { wholeBytes: 0, leastBytes: 1, perTableByte: 0, sliceBytes: 7 };

type Told = Record<string, number>;

function context(told: Told = {}): WholeContext {
  const add = (what: string, amount = 1) => {
    told[what] = (told[what] ?? 0) + amount;
  };
  const signal = new AbortController().signal;
  return { item: testItem(0), limits: defaultLimits, signal, count: add, warn: (code) => add(code) };
}

const encode = (profile: Profile) => Buffer.concat([...encodePieces(profile)]);
const open = (bytes: Uint8Array) => openInput(bytes, new Budget());

/** Copies of the pieces: their samples are lent. */
async function piecesOf(bytes: Uint8Array, told: Told = {}, sizes = tiny): Promise<Profile[]> {
  const decoded = await decodeInPieces(open(bytes), context(told), sizes);
  if (!('pieces' in decoded)) return [decoded];
  const pieces: Profile[] = [];
  for await (const piece of decoded.pieces) pieces.push(structuredClone(piece));
  return pieces;
}

/** Pieces as one profile. */
function joined(pieces: readonly Profile[]): Profile {
  const each = <T>(pick: (piece: Profile) => Iterable<T>) => pieces.flatMap((piece) => [...pick(piece)]);
  const starts = (pick: (piece: Profile) => Uint32Array) => {
    let end = 0;
    const all = pieces.flatMap((piece) => {
      const own = Array.from(pick(piece), (start) => end + start);
      end = own.pop()!;
      return own;
    });
    return Uint32Array.from([...all, end]);
  };
  const words = (pick: (piece: Profile) => Uint32Array) => Uint32Array.from(each(pick));
  const numbers = (pick: (piece: Profile) => BigInt64Array) => BigInt64Array.from(each(pick));
  const labels = words(({ samples }) => samples.labels.key);
  return {
    ...pieces[0]!,
    samples: {
      length: pieces.reduce((sum, { samples }) => sum + samples.length, 0),
      stackStart: starts(({ samples }) => samples.stackStart),
      stackLocations: words(({ samples }) => samples.stackLocations),
      values: numbers(({ samples }) => samples.values),
      labelStart: starts(({ samples }) => samples.labelStart),
      labels: {
        length: labels.length,
        key: labels,
        str: words(({ samples }) => samples.labels.str),
        num: numbers(({ samples }) => samples.labels.num),
        numUnit: words(({ samples }) => samples.labels.numUnit),
      },
    },
  };
}

test('pieces together are the profile, whatever it has and however it is compressed', async () => {
  let most = 0;
  await fc.assert(
    fc.asyncProperty(arbitraryProfile({ unknownFields: false }), fc.boolean(), async (profile, isZipped) => {
      const bytes = isZipped ? gzipSync(encode(profile)) : encode(profile);
      const told: Told = {};
      const toldOfPieces: Told = {};
      const whole = await decodeProfile(open(bytes), context(told));
      const pieces = await piecesOf(bytes, toldOfPieces);
      for (const piece of pieces) assert.deepEqual(checkProfile(piece), []);
      assert.deepEqual(joined(pieces), whole);
      assert.deepEqual(toldOfPieces, told);
      most = Math.max(most, pieces.length);
    }),
    { numRuns: 100 },
  );
  assert.ok(most > 10);
});

test('what pieces have that is odd is counted once', async () => {
  const odd = block(2, packed(1, 1), packed(2, 1), block(3, int(1, 1), int(2, 2), int(3, 7)));
  const told: Told = {};
  assert.ok((await piecesOf(pprof({}, odd, odd, odd), told)).length > 2);
  assert.deepEqual(told, { labels_of_both_kinds: 3 });
});

test('labels count in the size of a piece', async () => {
  const sizes = { ...tiny, leastBytes: 100 };
  const plain = Array.from({ length: 16 }, () => block(2, packed(1, 1), packed(2, 1)));
  const label = block(3, int(1, 1), int(3, 7));
  const labelled = plain.map(() => block(2, packed(1, 1), packed(2, 1), label, label, label, label));
  const few = await piecesOf(pprof({ sample: '' }, ...plain), {}, sizes);
  const many = await piecesOf(pprof({ sample: '' }, ...labelled), {}, sizes);
  assert.ok(few.length <= 3 && many.length >= 8, `${few.length} and ${many.length} pieces`);
});

test('what is wrong is the same error, at the same place', async () => {
  const outcome = async (decode: () => Promise<Profile>) => {
    try {
      return await decode();
    } catch (error) {
      assert.ok(error instanceof FormatError, `${error}`);
      return { message: error.message, code: error.code, place: error.place };
    }
  };
  let errors = 0;
  await fc.assert(
    fc.asyncProperty(arbitraryProfile(), fc.nat(), fc.nat(255), async (profile, at, byte) => {
      const bytes = encode(profile);
      bytes[at % bytes.length] = byte;
      const whole = await outcome(() => decodeProfile(open(bytes), context()));
      assert.deepEqual(await outcome(async () => joined(await piecesOf(bytes))), whole);
      errors += Number('message' in whole);
    }),
    { numRuns: 300 },
  );
  assert.ok(errors > 30);
});

describe('of errors in several tables the first is told', () => {
  const danglingSample = block(2, packed(1, 99), packed(2, 1));
  const danglingLine = block(4, int(1, 2), block(4, int(1, 77), int(2, 7)));
  const noString = block(5, int(1, 2), int(2, 1_000));
  for (const [name, tables, section] of [
    ['samples before locations', [danglingLine, danglingSample], 'Profile.sample[1].location_id[0]'],
    ['locations before strings', [noString, danglingLine], 'Profile.location[1].line[0].function_id'],
    ['samples alone', [danglingSample], 'Profile.sample[1].location_id[0]'],
  ] as const) {
    test(name, async () => {
      await assert.rejects(piecesOf(pprof({}, ...tables)), (error: unknown) => {
        assert.ok(error instanceof FormatError);
        assert.equal(error.place.section, section);
        return true;
      });
    });
  }
});

test('what has unknown fields is decoded whole: they belong to rows of all samples', async () => {
  const bytes = pprof({}, block(2, packed(1, 1), packed(2, 10), int(99, 1)));
  assert.deepEqual(await piecesOf(bytes), [await decodeProfile(open(bytes), context())]);
});

test('a pipe is decoded whole: it is read once', async () => {
  async function* pipe() {
    yield pprof();
  }
  const input: ByteInput = openInput(pipe(), new Budget());
  assert.deepEqual(await decodeInPieces(input, context(), tiny), await decodeProfile(open(pprof()), context()));
});
