import assert from 'node:assert/strict';
import { test } from 'node:test';
import { checkProfile } from '../check.js';
import { profileText } from '../figures/text.js';
import { stringAt } from '../profile.js';
import { ProfileBuilder } from './builder.js';
import { StringInterner } from './string-interner.js';

const sampleTypes = [{ type: 'cpu', unit: 'nanoseconds' }];

test('equal functions, mappings and locations are one row; added ones are rows of their own', () => {
  const builder = new ProfileBuilder({ sampleTypes });
  assert.equal(builder.function({ name: 'f', filename: 'f.go' }), builder.function({ name: 'f', filename: 'f.go' }));
  assert.notEqual(builder.function({ name: 'f', filename: 'f.go' }), builder.function({ name: 'f', filename: 'g.go' }));
  assert.notEqual(builder.function({ name: 'f' }), builder.addFunction({ name: 'f' }));
  assert.equal(builder.mapping({ filename: '/a' }), builder.mapping({ filename: '/a' }));
  assert.notEqual(builder.mapping({ filename: '/a' }), builder.mapping({ filename: '/a', memoryStart: 1 }));
  const lines = [{ function: 0, line: 1 }];
  assert.equal(
    builder.location({ address: 1, lines }),
    builder.location({ address: 1n, lines: [{ function: 0, line: 1n }] }),
  );
  assert.notEqual(builder.location({ address: 1, lines }), builder.location({ address: 1, lines, isFolded: true }));
  assert.deepEqual(checkProfile(builder.finish()), []);
});

test('a builder that got nothing gives an empty profile', () => {
  const profile = new ProfileBuilder({ sampleTypes }).finish();
  assert.deepEqual(checkProfile(profile), []);
  assert.deepEqual([...profileText(profile)], ['sample types: cpu/nanoseconds']);
});

test('numbers outside of 64 bits and rows that are not there are refused', () => {
  const builder = new ProfileBuilder({ sampleTypes });
  assert.throws(() => builder.addSample({ stack: [0], values: [1] }), /location 0 of 0/);
  assert.throws(() => builder.addSample({ stack: [], values: [] }), /0 values, profile has 1 sample types/);
  assert.throws(() => builder.addSample({ stack: [], values: [2n ** 63n] }), RangeError);
  assert.throws(() => builder.addLocation({ address: -1 }), RangeError);
  assert.throws(() => builder.addLocation({ mapping: 3 }), /mapping 3 of 0/);
  assert.throws(() => builder.addLocation({ lines: [{ function: 0, line: 1 }] }), /function 0 of 0/);
});

test('strings are told apart by their bytes, through every growth of the table', () => {
  const strings = new StringInterner();
  const rows = Array.from({ length: 5_000 }, (_, index) => strings.row(`name ${index}`));
  assert.deepEqual(
    rows,
    Array.from({ length: 5_000 }, (_, index) => index + 1),
  );
  assert.equal(strings.rowOfBytes(Buffer.from('name 77')), 78);
  const invalid = [Uint8Array.of(0xff), Uint8Array.of(0xfe)].map((bytes) => strings.rowOfBytes(bytes));
  assert.deepEqual(invalid, [5_001, 5_002]);
  const table = strings.finish();
  assert.equal(stringAt(table, 78), 'name 77');
  assert.equal(stringAt(table, 5_001), '\ufffd');
});

test('strings behind a base keep its rows, and find the first of equal ones', () => {
  const base = { length: 4, bytes: Buffer.from('abab'), starts: Uint32Array.of(0, 0, 2, 4, 4) };
  const strings = new StringInterner(base);
  assert.equal(strings.row('ab'), 1);
  assert.equal(strings.firstRow(2), 1);
  assert.equal(strings.row(''), 0);
  assert.equal(strings.finish(), base);
  assert.equal(strings.row('new'), 4);
  assert.equal(stringAt(strings.finish(), 4), 'new');
  assert.equal(stringAt(strings.finish(), 2), 'ab');
});
