import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, test } from 'node:test';
import { gzipSync } from 'node:zlib';
import fc from 'fast-check';
import protobuf from 'protobufjs';
import {
  Budget,
  checkProfile,
  defaultLimits,
  FormatError,
  HELD_PIECES,
  type ItemContext,
  idAt,
  type Limits,
  NO_ROW,
  openInput,
  type Profile,
  UnknownIn,
} from '../../../core/index.js';
import { arbitraryProfile, randomProfile } from '../../../test/helpers/random-profile.js';
import { decodeProfile } from './decode.js';
import { detectProfile } from './detect.js';
import { encodeProfile } from './encode.js';
import { encodePieces } from './encoder.js';

/** The independent decoder: protobufjs' reflection over proto/profile.proto. */
const root = protobuf.parse(readFileSync('proto/profile.proto', 'utf8'), { keepCase: true }).root;
const ProfileMessage = root.lookupType('perftools.profiles.Profile');

const noted: { counts: Record<string, number>; warnings: string[] } = { counts: {}, warnings: [] };

function context(limits: Partial<Limits> = {}): ItemContext {
  noted.counts = {};
  noted.warnings = [];
  return {
    item: { index: 0, name: 'x', uri: 'x.pb.gz', digest: new Uint8Array(32) },
    limits: { ...defaultLimits, ...limits },
    signal: new AbortController().signal,
    count: (counter, amount = 1) => {
      noted.counts[counter] = (noted.counts[counter] ?? 0) + amount;
    },
    warn: (code) => noted.warnings.push(code),
  };
}

async function* inPieces(bytes: Uint8Array, size: number): AsyncGenerator<Uint8Array> {
  // One buffer for all pieces: whoever keeps a piece is found out.
  const buffer = new Uint8Array(size);
  for (let at = 0; at < bytes.length; at += size) {
    const piece = bytes.subarray(at, at + size);
    buffer.set(piece);
    yield buffer.subarray(0, piece.length);
  }
}

const decode = (bytes: Uint8Array, limits: Partial<Limits> = {}) =>
  decodeProfile(openInput(bytes, new Budget(limits)), context(limits));
/** Past the gathering of small inputs, so that fields straddle pieces. */
const decodePieces = (bytes: Uint8Array, size: number) =>
  decodeProfile(
    {
      compression: 'none',
      notes: [],
      head: async () => bytes,
      chunks: () => inPieces(bytes, size),
      readAll: async () => bytes,
    },
    context(),
  );
const encode = (profile: Profile) => Buffer.concat([...encodePieces(profile)]);

/** Message bytes of `[field, value]` pairs: numbers are varints, bytes are nested. */
function message(...fields: readonly (readonly [number, number | bigint | Uint8Array | string])[]): Buffer {
  return Buffer.concat(
    fields.map(([field, value]) => {
      if (typeof value === 'number' || typeof value === 'bigint')
        return Buffer.concat([varint(field << 3), varint(value)]);
      const bytes = Buffer.from(value as Uint8Array);
      return Buffer.concat([varint((field << 3) | 2), varint(bytes.length), bytes]);
    }),
  );
}

function varint(value: number | bigint): Buffer {
  const bytes: number[] = [];
  let rest = BigInt.asUintN(64, BigInt(value));
  for (; rest > 127n; rest >>= 7n) bytes.push(Number(rest & 127n) | 128);
  return Buffer.from([...bytes, Number(rest)]);
}

/** A small valid profile, in the order in which Go's runtime writes: what is referred to comes after. */
const sampleTypes = message([1, message([1, 1], [2, 2])]);
const sample = message([2, message([1, 7], [2, 5])]);
const location = message([4, message([1, 7], [3, 0x1000], [4, message([1, 9], [2, 3])], [2, 3])]);
const fn = message([5, message([1, 9], [2, 3], [3, 3], [4, 4])]);
const mapping = message([3, message([1, 3], [2, 0x1000], [3, 0x2000], [5, 4])]);
const strings = message(...['', 'cpu', 'ns', 'main', 'main.go'].map((text) => [6, text] as const));
const valid = Buffer.concat([sampleTypes, sample, location, fn, mapping, strings]);

async function rejects(bytes: Uint8Array, code: string, section?: string, limits: Partial<Limits> = {}) {
  await assert.rejects(decode(bytes, limits), (error: unknown) => {
    assert.ok(error instanceof FormatError, `${error}`);
    assert.equal(error.code, code, error.describe());
    if (section !== undefined) assert.equal(error.place.section, section, error.describe());
    return true;
  });
}

/** What protobufjs' reflection reads, with 64-bit numbers as decimal strings. */
function independent(bytes: Uint8Array): Record<string, unknown> {
  return ProfileMessage.toObject(ProfileMessage.decode(bytes), { longs: String, defaults: true, arrays: true });
}

/** The same, said from our columns. */
function described(profile: Profile): Record<string, unknown> {
  const text = (row: number) =>
    Buffer.from(profile.strings.bytes.subarray(profile.strings.starts[row], profile.strings.starts[row + 1])).toString(
      'utf8',
    );
  const rows = <T>(length: number, make: (row: number) => T) => Array.from({ length }, (_, row) => make(row));
  const between = <T>(starts: Uint32Array, row: number, make: (entry: number) => T) =>
    rows(starts[row + 1]! - starts[row]!, (i) => make(starts[row]! + i));
  const { samples, locations, functions, mappings } = profile;
  const { labels } = samples;
  const { lines } = locations;
  const types = profile.sampleTypes.length;
  const valueType = ({ type, unit }: { type: number; unit: number }) => ({ type: `${type}`, unit: `${unit}` });
  return {
    sample_type: profile.sampleTypes.map(valueType),
    sample: rows(samples.length, (row) => ({
      location_id: between(samples.stackStart, row, (i) => `${idAt(locations.id, samples.stackLocations[i]!)}`),
      value: rows(types, (type) => `${samples.values[row * types + type]}`),
      label: between(samples.labelStart, row, (i) => ({
        key: `${labels.key[i]}`,
        str: `${labels.str[i]}`,
        num: `${labels.num[i]}`,
        num_unit: `${labels.numUnit[i]}`,
      })),
    })),
    mapping: rows(mappings.length, (row) => ({
      id: `${idAt(mappings.id, row)}`,
      memory_start: `${mappings.memoryStart[row]}`,
      memory_limit: `${mappings.memoryLimit[row]}`,
      file_offset: `${mappings.fileOffset[row]}`,
      filename: `${mappings.filename[row]}`,
      build_id: `${mappings.buildId[row]}`,
      has_functions: (mappings.flags[row]! & 1) !== 0,
      has_filenames: (mappings.flags[row]! & 2) !== 0,
      has_line_numbers: (mappings.flags[row]! & 4) !== 0,
      has_inline_frames: (mappings.flags[row]! & 8) !== 0,
    })),
    location: rows(locations.length, (row) => ({
      id: `${idAt(locations.id, row)}`,
      mapping_id: locations.mapping[row]! < mappings.length ? `${idAt(mappings.id, locations.mapping[row]!)}` : '0',
      address: `${locations.address[row]}`,
      line: between(locations.lineStart, row, (i) => ({
        function_id: `${idAt(functions.id, lines.function[i]!)}`,
        line: `${lines.line[i]}`,
        column: `${lines.column?.[i] ?? 0n}`,
      })),
      is_folded: locations.isFolded[row] === 1,
    })),
    function: rows(functions.length, (row) => ({
      id: `${idAt(functions.id, row)}`,
      name: `${functions.name[row]}`,
      system_name: `${functions.systemName[row]}`,
      filename: `${functions.filename[row]}`,
      start_line: `${functions.startLine[row]}`,
    })),
    string_table: rows(profile.strings.length, text),
    drop_frames: `${profile.dropFrames}`,
    keep_frames: `${profile.keepFrames}`,
    time_nanos: `${profile.timeNanos}`,
    duration_nanos: `${profile.durationNanos}`,
    period_type: profile.periodType === undefined ? null : valueType(profile.periodType),
    period: `${profile.period}`,
    comment: Array.from(profile.comments, String),
    default_sample_type: `${profile.defaultSampleType}`,
    doc_url: `${profile.docUrl}`,
  };
}

describe('round trip', () => {
  test('decode(encode(profile)) is the profile, whole and in pieces of any size', async () => {
    await fc.assert(
      fc.asyncProperty(arbitraryProfile(), fc.integer({ min: 1, max: 300 }), async (profile, size) => {
        const bytes = encode(profile);
        const decoded = await decode(bytes);
        assert.deepEqual(checkProfile(decoded), []);
        assert.deepEqual(plain(decoded), plain(profile));
        assert.deepEqual(plain(await decodePieces(bytes, size)), plain(profile));
        assert.deepEqual(encode(decoded), bytes);
      }),
      { numRuns: 300, seed: 1 },
    );
  });

  test('the independent decoder reads the same from what we write, and we from it', async () => {
    for (let seed = 0; seed < 300; seed++) {
      const profile = randomProfile(seed, 20, { invalidUtf8: false });
      const bytes = encode(profile);
      assert.deepEqual(independent(bytes), described(profile), `seed ${seed}`);
      const rewritten = ProfileMessage.encode(ProfileMessage.fromObject(independent(bytes))).finish();
      assert.deepEqual(described(await decode(rewritten)), described(profile), `seed ${seed}`);
    }
  });

  test('all forms of compression give the profile', async () => {
    const profile = randomProfile(5, 20);
    const zipped = Buffer.concat(await encodeProfile(profile, { compression: 'gzip', level: 6 }));
    assert.deepEqual(zipped.subarray(0, 4), Buffer.from([0x1f, 0x8b, 8, 0]));
    assert.deepEqual(plain(await decode(zipped)), plain(profile));
    assert.deepEqual(Buffer.concat(await encodeProfile(profile, { compression: 'none', level: 1 })), encode(profile));
  });

  test('a row larger than what is encoded at once', async () => {
    const profile = await decode(valid);
    const stackLocations = new Uint32Array(300_000);
    const samples = { ...profile.samples, stackStart: Uint32Array.of(0, stackLocations.length), stackLocations };
    const deep = { ...profile, samples };
    const decoded = await decode(encode(deep), { stackDepth: stackLocations.length });
    assert.deepEqual(plain(decoded), plain(deep));
  });

  test('references of every length, side by side and in stacks of every depth', async () => {
    const profile = await decode(valid);
    const depths = Array.from({ length: 3_000 }, (_, i) => i % 41);
    const stackStart = Uint32Array.of(0, ...depths);
    for (const [i, depth] of depths.entries()) stackStart[i + 1] = stackStart[i]! + depth;
    // Ids are one more: the last of one, two, three and four bytes, and what stands around them.
    const edges = [2 ** 7, 2 ** 14, 2 ** 21, 2 ** 28].flatMap((first) => [first - 3, first - 2, first - 1, first]);
    const rows = [0, ...edges, 2 ** 32 - 3];
    // Mostly short ones, as they are in profiles, with long ones at any place among them.
    const stackLocations = Uint32Array.from({ length: stackStart[depths.length]! }, (_, i) => {
      const pick = Math.imul(i, 2_654_435_761) >>> 0;
      return rows[(pick >>> 8) % (i % 3 === 0 ? rows.length : 9)]!;
    });
    const values = new BigInt64Array(depths.length).fill(7n);
    const labelStart = new Uint32Array(depths.length + 1);
    const samples = { ...profile.samples, length: depths.length, stackStart, stackLocations, values, labelStart };
    const { id: _, ...locations } = profile.locations;
    const read = independent(encode({ ...profile, samples, locations })).sample as { location_id: string[] }[];
    const wanted = depths.map((depth, i) =>
      Array.from(stackLocations.subarray(stackStart[i], stackStart[i]! + depth), (row) => String(row + 1)),
    );
    assert.deepEqual(
      read.map((sample) => sample.location_id),
      wanted,
    );
  });

  test('several pieces deflated side by side are one gzip member with the same bytes each time', async () => {
    const profile = randomProfile(1, 50_000);
    // So that the memory of the first ones is used again.
    assert.ok([...encodePieces(profile)].length > HELD_PIECES);
    const first = Buffer.concat(await encodeProfile(profile, { compression: 'gzip', level: 1 }));
    const second = Buffer.concat(await encodeProfile(profile, { compression: 'gzip', level: 1 }));
    assert.ok(first.equals(second));
    assert.ok(encode(await decode(first)).equals(encode(profile)));
  });
});

describe('what other writers do', () => {
  test('fields larger than what is read at once, whole and in pieces', async () => {
    const blob = Buffer.alloc(300_000, 7);
    const inSample = message([2, message([1, 7], [2, 5], [100, blob], [1, Buffer.alloc(4_000, 7)])]);
    const bytes = Buffer.concat([valid, inSample, message([6, 'x'.repeat(200_000)], [101, blob]), sample]);
    const profile = await decode(bytes);
    assert.deepEqual([...profile.samples.stackStart], [0, 1, 4_002, 4_003]);
    assert.deepEqual([...profile.strings.starts.subarray(5)], [16, 200_016]);
    assert.equal(profile.unknown!.bytes.length, 2 * (blob.length + 5));
    assert.deepEqual(plain(await decodePieces(bytes, 1_000)), plain(profile));
  });

  test('numbers of every length, in every place of a packed field', async () => {
    const ids = Array.from({ length: 40 }, (_, i) =>
      i % 10 === 9 ? 2n ** 64n - 1n - BigInt(i) : 2n ** BigInt(7 * (i % 10)) + BigInt(i),
    );
    const locations = ids.map((id) => message([4, message([1, id])]));
    for (let seed = 0; seed < 69; seed++) {
      const stack = Array.from(
        { length: 1 + (seed % 23) },
        (_, i) => ids[(seed * 7 + i * (1 + (seed % 13))) % ids.length]!,
      );
      const inSample = message([
        2,
        message([1, Buffer.concat(stack.map(varint))], [2, Buffer.concat(stack.slice(0, 1).map(varint))]),
      ]);
      const profile = await decode(Buffer.concat([sampleTypes, inSample, ...locations, strings]));
      assert.deepEqual(
        Array.from(profile.samples.stackLocations, (row) => idAt(profile.locations.id, row)),
        stack,
      );
      assert.equal(BigInt.asUintN(64, profile.samples.values[0]!), stack[0]);
    }
  });

  test('rows may come before what they refer to, and ids may be any numbers', async () => {
    const profile = await decode(valid);
    assert.equal(profile.locations.id?.[0], 7n);
    assert.deepEqual([...profile.samples.stackLocations], [0]);
    assert.deepEqual([...profile.locations.mapping], [0]);
  });

  test('packed and not packed numbers mix, and numbers may be longer than they need', async () => {
    const mixed = message([2, message([1, Buffer.from([7, 0x87, 0x80, 0])], [1, 7], [2, Buffer.from([5])])]);
    const profile = await decode(Buffer.concat([sampleTypes, mixed, location, fn, mapping, strings]));
    assert.deepEqual([...profile.samples.stackLocations], [0, 0, 0]);
  });

  test('comments may be packed; a second period type is merged; flags may be any number but 0', async () => {
    const header = message([13, Buffer.from([1, 2])], [13, 3], [11, message([1, 1])], [11, message([2, 2])]);
    const flagged = message([3, message([1, 4], [7, 300], [8, 1], [8, 0])]);
    const profile = await decode(Buffer.concat([valid, header, flagged]));
    assert.deepEqual([...profile.comments], [1, 2, 3]);
    assert.deepEqual(profile.periodType, { type: 1, unit: 2 });
    assert.equal(profile.mappings.flags[1], 1);
  });

  test('unknown fields of all wire types are kept byte for byte, and counted', async () => {
    const fixed = Buffer.from([0xa1, 0x06, 1, 2, 3, 4, 5, 6, 7, 8, 0xa5, 0x06, 1, 2, 3, 4]);
    const overlong = Buffer.from([0xa0, 0x06, 0x81, 0x80, 0x00]);
    const inSample = message([2, Buffer.concat([message([1, 7], [2, 5]), overlong])]);
    const profile = await decode(
      Buffer.concat([fixed, sampleTypes, inSample, location, fn, mapping, strings, overlong]),
    );
    assert.equal(noted.counts.unknown_fields, 4);
    assert.deepEqual([...profile.unknown!.message], [UnknownIn.profile, UnknownIn.sample]);
    assert.deepEqual(Buffer.from(profile.unknown!.bytes), Buffer.concat([fixed, overlong, overlong]));
    assert.deepEqual(plain(await decode(encode(profile))), plain(profile));
  });

  test('a profile without samples, and a second string table, are fine', async () => {
    assert.equal((await decode(Buffer.concat([sampleTypes, strings]))).samples.length, 0);
    assert.equal((await decode(Buffer.concat([valid, message([6, 'more'])]))).strings.length, 6);
  });

  test('negative values and inverted mappings are kept, and noted', async () => {
    const negative = message([2, message([1, 7], [2, -5n])]);
    const inverted = message([3, message([1, 4], [2, 0x2000], [3, 0x1000])]);
    const profile = await decode(Buffer.concat([valid, negative, inverted]));
    assert.equal(profile.samples.values[1], -5n);
    assert.equal(noted.counts.profiles_with_negative_values, 1);
    assert.deepEqual(noted.warnings, ['mapping_inverted']);
  });
});

describe('bad input', () => {
  test('a label with a string and a number keeps the string, as in google/pprof, and is counted', async () => {
    const labels = [
      message([3, message([1, 1], [2, 2], [3, 7])]),
      message([3, message([1, 1], [2, 2], [3, 2n ** 40n])]),
      message([3, message([1, 1], [2, 2], [4, 3])]),
      message([3, message([1, 1], [3, 7], [4, 3])]),
    ];
    const profile = await decode(
      Buffer.concat([valid, message([2, Buffer.concat([message([1, 7], [2, 5]), ...labels])])]),
    );
    assert.equal(noted.counts.labels_of_both_kinds, 3);
    assert.deepEqual(checkProfile(profile), []);
    const { str, num, numUnit } = profile.samples.labels;
    assert.deepEqual([...str.subarray(-4)], [2, 2, 2, 0]);
    assert.deepEqual([...num.subarray(-4)], [0n, 0n, 0n, 7n]);
    assert.deepEqual([...numUnit.subarray(-4)], [0, 0, 0, 3]);
  });

  const withSample = (bytes: Buffer) => Buffer.concat([sampleTypes, bytes, location, fn, mapping, strings]);
  const withFunction = (bytes: Buffer) => Buffer.concat([sampleTypes, sample, location, bytes, mapping, strings]);

  test('nothing at all', () => rejects(new Uint8Array(0), 'E_EMPTY'));

  test('numbers of more than 10 bytes or 64 bits', async () => {
    const long = Buffer.concat([Buffer.from([0x48]), Buffer.alloc(10, 0x80), Buffer.from([1])]);
    await rejects(Buffer.concat([valid, long]), 'E_VARINT', 'Profile');
    const wide = Buffer.concat([Buffer.from([0x48]), Buffer.alloc(9, 0x80), Buffer.from([2])]);
    await rejects(Buffer.concat([valid, wide]), 'E_VARINT', 'Profile');
    await rejects(Buffer.concat([valid, Buffer.from([0xff, 0xff, 0xff, 0xff, 0x7f])]), 'E_VARINT');
  });

  test('lengths beyond the end, at every level', async () => {
    await rejects(Buffer.concat([valid, Buffer.from([0x32, 100]), Buffer.from('abc')]), 'E_LENGTH', 'Profile');
    await rejects(Buffer.concat([valid, Buffer.from([0x12]), varint(2n ** 63n)]), 'E_LENGTH', 'Profile');
    await rejects(withSample(message([2, Buffer.from([0x0a, 5, 7])])), 'E_LENGTH', 'Profile.sample[0]');
    await rejects(withSample(message([2, Buffer.from([0x1a, 0x7f, 7])])), 'E_LENGTH', 'Profile.sample[0]');
  });

  test('input that ends within a field', async () => {
    for (let end = 1; end < valid.length; end++) {
      await assert.rejects(decode(valid.subarray(0, end)), FormatError, `${end}`);
      await assert.rejects(decodePieces(valid.subarray(0, end), 3), FormatError, `${end}`);
    }
  });

  test('groups, reserved wire types, and known fields with another wire type, everywhere', async () => {
    for (const tag of [0xa3, 0xa4, 0xa6, 0xa7])
      await rejects(Buffer.concat([valid, Buffer.from([tag, 6, 1])]), 'E_WIRE_TYPE');
    await rejects(Buffer.concat([valid, message([15, 'x'])]), 'E_WIRE_TYPE', 'Profile.doc_url');
    await rejects(Buffer.concat([valid, message([6, 1])]), 'E_WIRE_TYPE', 'Profile.string_table');
    await rejects(withFunction(message([5, message([1, 9], [2, 'x'])])), 'E_WIRE_TYPE', 'Profile.function[0].name');
    await rejects(
      withSample(message([2, message([3, message([1, 'x'])])])),
      'E_WIRE_TYPE',
      'Profile.sample.label[0].key',
    );
    await rejects(
      Buffer.concat([valid, message([3, message([10, 'x'])])]),
      'E_WIRE_TYPE',
      'Profile.mapping[1].has_inline_frames',
    );
    await rejects(Buffer.concat([valid, Buffer.from([0x00, 0x01])]), 'E_FIELD', 'Profile');
  });

  test('string indexes that are no rows, in every field that has one', async () => {
    for (const index of [5, -1, 2n ** 40n]) {
      await rejects(
        withFunction(message([5, message([1, 9], [2, index])])),
        'E_STRING_INDEX',
        'Profile.function[0].name',
      );
      for (const [field, name] of [
        [7, 'drop_frames'],
        [8, 'keep_frames'],
        [14, 'default_sample_type'],
        [15, 'doc_url'],
      ] as const) {
        await rejects(Buffer.concat([valid, message([field, index])]), 'E_STRING_INDEX', `Profile.${name}`);
      }
      for (const field of [1, 2, 4]) {
        await rejects(
          withSample(message([2, message([1, 7], [2, 5], [3, message([field, index])])])),
          'E_STRING_INDEX',
        );
      }
      for (const field of [5, 6]) {
        await rejects(Buffer.concat([valid, message([3, message([1, 8], [field, index])])]), 'E_STRING_INDEX');
      }
      await rejects(Buffer.concat([valid, message([13, index])]), 'E_STRING_INDEX');
      await rejects(Buffer.concat([valid, message([11, message([1, index])])]), 'E_STRING_INDEX');
      const badType = message([1, message([2, index])]);
      await rejects(Buffer.concat([badType, sample, location, fn, mapping, strings]), 'E_STRING_INDEX');
    }
  });

  test('a string table that is missing or does not start with ""', async () => {
    await rejects(Buffer.concat([sampleTypes]), 'E_STRING_TABLE');
    await rejects(Buffer.concat([sampleTypes, message([6, 'cpu'], [6, 'ns'], [6, ''])]), 'E_STRING_TABLE');
  });

  test('ids that are 0, twice, or name nothing', async () => {
    await rejects(Buffer.concat([valid, message([4, message([3, 1])])]), 'E_ID_ZERO', 'Profile.location[1].id');
    await rejects(Buffer.concat([valid, location]), 'E_ID_TWICE', 'Profile.location[1].id');
    await rejects(Buffer.concat([valid, mapping]), 'E_ID_TWICE', 'Profile.mapping[1].id');
    await rejects(
      withSample(message([2, message([1, 7], [1, 8], [2, 5])])),
      'E_DANGLING',
      'Profile.sample[0].location_id[1]',
    );
    await rejects(
      withSample(message([2, message([1, 7n + 2n ** 32n], [2, 5])])),
      'E_DANGLING',
      'Profile.sample[0].location_id[0]',
    );
    const dangling = message([4, message([1, 8], [2, 99])]);
    await rejects(Buffer.concat([valid, dangling]), 'E_DANGLING', 'Profile.location[1].mapping_id');
    const noFunction = message([4, message([1, 8], [4, message([2, 3])])]);
    await rejects(
      Buffer.concat([valid, noFunction]),
      'E_LINE_WITHOUT_FUNCTION',
      'Profile.location[1].line[0].function_id',
    );
  });

  test('values that are not one for each sample type', async () => {
    await rejects(Buffer.concat([sample, location, fn, mapping, strings]), 'E_SAMPLE_TYPES', 'Profile');
    await rejects(withSample(message([2, message([1, 7])])), 'E_VALUE_COUNT', 'Profile.sample[0]');
    await rejects(Buffer.concat([valid, message([2, message([2, 1], [2, 2])])]), 'E_VALUE_COUNT', 'Profile.sample[1]');
  });

  test('what a damaged profile had leaves nothing in the next one', async () => {
    const broken = message([
      4,
      message([1, 8], [2, 3], [3, 1], [5, 1], [4, message([1, 9], [2, 3], [3, 6], [200, 1])], [1, 'x']),
    ]);
    await rejects(Buffer.concat([valid, broken]), 'E_WIRE_TYPE', 'Profile.location[1].id');
    const bare = message([4, message([1, 8], [4, message([1, 9])])]);
    const profile = await decode(Buffer.concat([valid, bare]));
    const { address, isFolded, mapping, lines } = profile.locations;
    assert.deepEqual(
      [address[1], isFolded[1], mapping[1], lines.line[1], lines.column],
      [0n, 0, NO_ROW, 0n, undefined],
    );
    assert.equal(profile.unknown, undefined);
  });

  test('a profile that is used up lends its columns, and the next one is written over them', async () => {
    const lent = { ...context(), isUsedUp: true };
    const values: ArrayBufferLike[] = [];
    for (let seed = 0; seed < 100; seed++) {
      const profile = randomProfile(seed, 20);
      const decoded = await decodeProfile(openInput(encode(profile), new Budget()), lent);
      assert.deepEqual(plain(decoded), plain(profile), `seed ${seed}`);
      assert.deepEqual(encode(decoded), encode(profile), `seed ${seed}`);
      values.push(decoded.samples.values.buffer);
    }
    assert.ok(new Set(values).size < 10, 'memory of their own');
    const kept = await decodeProfile(openInput(valid, new Budget()), { ...lent, isUsedUp: false });
    assert.equal(values.includes(kept.samples.values.buffer), false);
  });

  test('two profiles one behind the other', async () => {
    const timed = Buffer.concat([valid, message([9, 5])]);
    await rejects(Buffer.concat([gzipSync(timed), gzipSync(timed)]), 'E_CONCATENATED', 'Profile.time_nanos');
  });

  test('tables, stacks, labels and strings over their limits', async () => {
    await rejects(Buffer.concat([valid, ...Array(5).fill(sample)]), 'E_LIMIT', 'Profile.sample', { tableRows: 5 });
    const deep = message([2, message([1, Buffer.alloc(50, 7)], [2, 5])]);
    await rejects(withSample(deep), 'E_LIMIT', 'Profile.sample[0].location_id', { stackDepth: 49 });
    const labels = message([2, message([2, 5], [3, ''], [3, ''])]);
    await rejects(withSample(labels), 'E_LIMIT', 'Profile.sample[0].label', { labelsPerSample: 1 });
    await rejects(Buffer.concat([valid, message([6, 'x'.repeat(100)])]), 'E_LIMIT', 'Profile.string_table[5]', {
      stringBytes: 99,
    });
  });
});

test('detects profiles, damaged ones with less confidence, and nothing else', () => {
  assert.equal(detectProfile(valid), 0.9);
  for (let seed = 0; seed < 100; seed++) {
    const bytes = encode(randomProfile(seed, 20));
    assert.equal(detectProfile(bytes.subarray(0, 4096)), 0.9, `seed ${seed}`);
  }
  assert.equal(detectProfile(Buffer.concat([valid, Buffer.from([0xa3 & 0x7f, 1])])), 0.2);
  for (const other of ['', '{"a": 1}', 'main;work 10\n', 'PERFILE2........', '\x7fELF', '<html>', 'PK\x03\x04']) {
    assert.equal(detectProfile(Buffer.from(other)), 0, other);
  }
});

/** Columns as plain arrays; absent ones left out, and those that say what their absence means: for comparison by value. */
function plain(value: unknown): unknown {
  if (value instanceof BigUint64Array && value.every((id, row) => id === BigInt(row + 1))) return [];
  if (ArrayBuffer.isView(value)) return Array.from(value as Uint8Array);
  if (Array.isArray(value)) return value.map(plain);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .map(([name, field]) => [name, plain(field)] as const)
      .filter(([name, field]) => field !== undefined && !(name === 'id' && (field as unknown[]).length === 0))
      .filter(([name, field]) => !(name === 'unknown' && (field as { length: number }).length === 0)),
  );
}
