import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { Ajv2020 } from 'ajv/dist/2020.js';
import fc from 'fast-check';
import {
  Budget,
  checkProfile,
  defaultLimits,
  FormatError,
  type ItemContext,
  type Limits,
  openInput,
  type Profile,
  ProfileBuilder,
} from '../../../core/index.js';
import { profileText } from '../../../core/profile/figures/text.js';
import { profileOf } from '../../../test/helpers/profiles.js';
import { arbitraryProfile, randomProfile } from '../../../test/helpers/random-profile.js';
import { decodeProfile } from './decode.js';
import { encodeProfile } from './encode.js';
import { jsonCodec } from './index.js';

const schema = JSON.parse(
  readFileSync(new URL('../../../../schemas/profile.schema.json', import.meta.url), 'utf8'),
) as object;
const validate = new Ajv2020({ allErrors: true }).compile(schema);

const jsonOf = (profile: Profile): string => Buffer.concat(encodeProfile(profile).pieces).toString();
const decode = (text: string | Uint8Array, limits: Partial<Limits> = {}): Promise<Profile> =>
  decodeProfile(openInput(Buffer.from(text), new Budget(limits)), { ...defaultLimits, ...limits });
const textOf = (profile: Profile): string => [...profileText(profile)].join('\n');

test('the layout: tables as lists of objects, a row a line, references as indexes', () => {
  const profile = profileOf('main@main.go:3;work@work.go:7>inner@in.go:1 5 {tenant=a bytes=64:kilobytes}\n0x7f00 -1', {
    periodType: { type: 'cpu', unit: 'nanoseconds' },
    period: 10_000_000,
    timeNanos: 1_700_000_000_000_000_001n,
  });
  assert.equal(
    jsonOf(profile),
    `{
"format": "profpipe-profile",
"version": 1,
"sampleTypes": [{"type": "samples", "unit": "count"}],
"periodType": {"type": "cpu", "unit": "nanoseconds"},
"period": 10000000,
"timeNanos": "1700000000000000001",
"mappings": [
{"memoryStart": "0x1000", "memoryLimit": "0x1000000", "fileOffset": "0x0", "filename": "/bin/app", "buildId": "abcd"}
],
"functions": [
{"name": "main", "systemName": "main", "filename": "main.go", "startLine": 0},
{"name": "inner", "systemName": "inner", "filename": "in.go", "startLine": 0},
{"name": "work", "systemName": "work", "filename": "work.go", "startLine": 0}
],
"locations": [
{"mapping": 0, "address": "0x1000", "lines": [{"function": 0, "line": 3}]},
{"mapping": 0, "address": "0x1010", "lines": [{"function": 1, "line": 1}, {"function": 2, "line": 7}]},
{"mapping": 0, "address": "0x7f00", "lines": []}
],
"samples": [
{"values": [5], "stack": [1, 0], "labels": [{"key": "tenant", "str": "a"}, {"key": "bytes", "num": 64, "numUnit": "kilobytes"}]},
{"values": [-1], "stack": [2]}
]
}
`,
  );
});

test('what is written keeps the schema and comes back the same', async () => {
  await fc.assert(
    fc.asyncProperty(arbitraryProfile({ invalidUtf8: false, unknownFields: false }), async (profile) => {
      const json = jsonOf(profile);
      assert.ok(validate(JSON.parse(json)), JSON.stringify(validate.errors));
      const decoded = await decode(json);
      assert.deepEqual(checkProfile(decoded), []);
      assert.equal(textOf(decoded), textOf(profile));
      assert.equal(jsonOf(decoded), json);
    }),
    { numRuns: 150 },
  );
});

test('integers are exact over all 64 bits: strings where a double is not', async () => {
  const values = [2n ** 53n - 1n, 2n ** 53n, -(2n ** 53n) + 1n, -(2n ** 53n), 2n ** 63n - 1n, -(2n ** 63n), 0n];
  const profile = profileOf(values.map((value) => `main ${value}`).join('\n'));
  const json = JSON.parse(jsonOf(profile));
  assert.deepEqual(
    json.samples.map(({ values }: { values: unknown[] }) => values[0]),
    [
      9007199254740991,
      '9007199254740992',
      -9007199254740991,
      '-9007199254740992',
      '9223372036854775807',
      '-9223372036854775808',
      0,
    ],
  );
  assert.deepEqual([...(await decode(JSON.stringify(json))).samples.values], values);
});

test('strings that are no UTF-8 stand with U+FFFD, and the text says how many', () => {
  const { strings } = profileOf('xx;yy 1');
  const profile = profileOf('xx;yy 1');
  const bytes = strings.bytes.map((byte) => (byte === 0x79 ? 0xff : byte));
  const { invalidStrings, pieces } = encodeProfile({ ...profile, strings: { ...strings, bytes } });
  assert.equal(invalidStrings, 1);
  const json = JSON.parse(Buffer.concat(pieces).toString());
  assert.equal(json.invalidUtf8, 1);
  assert.equal(json.functions[1].name, '\ufffd\ufffd');
  assert.ok(validate(json));
});

test('no character that steers a terminal stands in the text as it is', () => {
  const builder = new ProfileBuilder({ sampleTypes: [] });
  builder.function({ name: '\u001b[31m\u007f\u009b\u202e\u2028', filename: '</script>' });
  const json = jsonOf(builder.finish());
  assert.doesNotMatch(json, /[\p{Cf}\p{Zl}\u007f-\u009f]|\u001b/u);
  assert.equal(JSON.parse(json).functions[0].name, '\u001b[31m\u007f\u009b\u202e\u2028');
});

test('a large profile comes in pieces', () => {
  const profile = profileOf(Array.from({ length: 5_000 }, (_, index) => `main;f${index} 1`).join('\n'));
  const { pieces } = encodeProfile(profile);
  assert.ok(pieces.length > 5);
  assert.ok(Math.max(...pieces.map((piece) => piece.length)) < 2 ** 18);
  assert.equal(JSON.parse(Buffer.concat(pieces).toString()).samples.length, 5_000);
});

test('names such as __proto__ are names', async () => {
  const builder = new ProfileBuilder({ sampleTypes: [{ type: 'samples', unit: 'count' }] });
  const location = builder.location({ lines: [{ function: builder.function({ name: '__proto__' }), line: 1 }] });
  builder.addSample({ stack: [location], values: [1], labels: [{ key: 'constructor', str: '__proto__' }] });
  const profile = builder.finish();
  assert.equal(textOf(await decode(jsonOf(profile))), textOf(profile));
});

/** A small valid text, and what to put in place of what. */
const small = jsonOf(profileOf('main 1 {k=v}'));
for (const [name, from, to, code, section] of [
  ['an index outside of its table', '"stack": [0]', '"stack": [7]', 'E_JSON', 'samples[0].stack[0]'],
  ['a negative index', '"stack": [0]', '"stack": [-1]', 'E_JSON', 'samples[0].stack[0]'],
  ['a value too many', '"values": [1]', '"values": [1, 2]', 'E_VALUE_COUNT', 'samples[0]'],
  ['a value too few', '"values": [1]', '"values": []', 'E_VALUE_COUNT', 'samples[0]'],
  ['a fraction', '"values": [1]', '"values": [1.5]', 'E_JSON', 'samples[0].values[0]'],
  [
    'a number that a double has rounded',
    '"values": [1]',
    '"values": [9007199254740993]',
    'E_JSON',
    'samples[0].values[0]',
  ],
  ['a number beyond all doubles', '"values": [1]', '"values": [1e999]', 'E_JSON', 'samples[0].values[0]'],
  ['an integer beyond 64 bits', '"values": [1]', '"values": ["9223372036854775808"]', 'E_JSON', 'samples[0].values[0]'],
  ['an address that is a number', '"address": "0x1000"', '"address": 4096', 'E_JSON', 'locations[0].address'],
  ['an unknown key', '"stack": [0]', '"stack": [0], "__proto__": {}', 'E_JSON', 'samples[0]'],
  ['a missing key', '"stack": [0], ', '', 'E_JSON', 'samples[0]'],
  ['a label of both kinds', '"str": "v"', '"str": "v", "num": 1', 'E_JSON', 'samples[0].labels[0]'],
  ['id 0', '{"name": "main"', '{"id": 0, "name": "main"', 'E_JSON', 'functions[0].id'],
  ['another version', '"version": 1', '"version": 2', 'E_VERSION', 'version'],
  ['another format', '"profpipe-profile"', '"profile"', 'E_JSON', 'format'],
  ['text behind the end', '\n}\n', '\n}}', 'E_JSON_SYNTAX', undefined],
  [
    'samples without sample types',
    '"sampleTypes": [{"type": "samples", "unit": "count"}]',
    '"sampleTypes": []',
    'E_VALUE_COUNT',
    'samples[0]',
  ],
] as const) {
  test(`${name} is refused, with its place`, async () => {
    assert.ok(small.includes(from));
    await assert.rejects(decode(small.replace(from, to)), (error) => {
      assert.ok(error instanceof FormatError);
      assert.equal(error.code, code);
      if (section !== undefined) assert.equal(error.place.section, section);
      return true;
    });
  });
}

test('a syntax error names line and column, or quotes the place', async () => {
  await assert.rejects(decode('{\n  "format" 1\n}'), { code: 'E_JSON_SYNTAX', place: { section: 'json 2:12' } });
  await assert.rejects(decode('{\n  "format": x\n}'), { code: 'E_JSON_SYNTAX', message: /"format": x/ });
});

test('brackets 100,000 deep are refused, not followed', async () => {
  await assert.rejects(decode('['.repeat(100_000)), { code: 'E_JSON_SYNTAX' });
  await assert.rejects(decode('['.repeat(100_000) + ']'.repeat(100_000)), { code: 'E_JSON' });
});

test('limits hold', async () => {
  const deep = jsonOf(profileOf(`${'f;'.repeat(20)}g 1`));
  await assert.rejects(decode(deep, { stackDepth: 20 }), {
    code: 'E_LIMIT',
    place: { section: 'samples[0]', got: 21, limit: 20 },
  });
  await assert.rejects(decode(deep, { decompressedBytes: 100 }), { code: 'E_LIMIT' });
  await assert.rejects(decode(Buffer.from([0x7b, 0xff])), { code: 'E_UTF8' });
});

test('spoilt text gives a FormatError or a valid profile, nothing else', async () => {
  const text = jsonOf(randomProfile(7, 6, { unknownFields: false }));
  const spoil = fc.tuple(
    fc.nat(text.length - 1),
    fc.nat(8),
    fc.constantFrom('', '-', '0', '9', '"', '}', '[', 'null', ',', '1e9'),
  );
  await fc.assert(
    fc.asyncProperty(spoil, async ([at, length, replacement]) => {
      try {
        assert.deepEqual(checkProfile(await decode(text.slice(0, at) + replacement + text.slice(at + length))), []);
      } catch (error) {
        if (!(error instanceof FormatError)) throw error;
      }
    }),
    { numRuns: 800 },
  );
});

test('the format is told by its first key, compressed or not, and what JSON cannot hold is said', async () => {
  const head = Buffer.from(small.slice(0, 100));
  assert.equal(jsonCodec.detect?.(head), 1);
  assert.equal(jsonCodec.detect?.(Buffer.from('{"x": 1}')), 0.1);
  assert.equal(jsonCodec.detect?.(Buffer.from('main;work 1')), 0);

  const warnings: string[] = [];
  const context = { warn: (code: string) => warnings.push(code), count() {} } as unknown as ItemContext;
  const codec = await jsonCodec.create({}, {} as never);
  const unknown = {
    length: 1,
    message: Uint8Array.of(0),
    row: Uint32Array.of(0),
    starts: Uint32Array.of(0, 2),
    bytes: Uint8Array.of(0xa0, 0x06),
  };
  await codec.encode?.({ ...profileOf('main 1'), unknown }, context);
  assert.deepEqual(warnings, ['unknown_fields']);
});
