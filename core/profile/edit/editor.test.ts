import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Profile, stringAt, UnknownIn } from '../profile.js';
import { ProfileBuilder } from './builder.js';
import { ProfileEditor } from './editor.js';

/** Two samples: main > work > leaf, where `leaf` is the leaf of both; and one label on the first. */
function sample(): Profile {
  const builder = new ProfileBuilder({ sampleTypes: [{ type: 'cpu', unit: 'nanoseconds' }] });
  const locations = ['leaf', 'work', 'main'].map((name, index) =>
    builder.location({ address: 0x1000 + index, lines: [{ function: builder.function({ name }), line: 10 + index }] }),
  );
  builder.addSample({ stack: locations, values: [1], labels: [{ key: 'k', str: 'v' }] });
  builder.addSample({ stack: locations.slice(0, 2), values: [2] });
  return builder.finish();
}

const functionNames = (profile: Profile, location: number): string[] => {
  const { lineStart, lines } = profile.locations;
  const rows = [...lines.function.subarray(lineStart[location]!, lineStart[location + 1]!)];
  return rows.map((row) => stringAt(profile.strings, profile.functions.name[row]!));
};

test('an editor without edits gives back the base, whatever was interned', () => {
  const base = sample();
  const editor = new ProfileEditor(base);
  editor.function({ name: 'never used' });
  assert.equal(editor.finish(), base);
});

test('strings and functions of the base are found again, not added', () => {
  const base = sample();
  const editor = new ProfileEditor(base);
  assert.equal(editor.function({ name: 'work' }), 1);
  assert.equal(stringAt(base.strings, editor.string('main')), 'main');
  assert.equal(editor.function({ name: 'work', startLine: 7 }), base.functions.length);
});

test('a split location takes only the samples that are moved to it', () => {
  const base = sample();
  const editor = new ProfileEditor(base);
  const copy = editor.splitLocation(0);
  const mark = editor.function({ name: 'mark', filename: '<builtin>' });
  editor.setLines(copy, [{ function: mark, line: 0 }, ...editor.linesOf(copy)]);
  editor.replaceLeaf(1, copy);
  const edited = editor.finish();
  assert.deepEqual([...edited.samples.stackLocations], [0, 1, 2, copy, 1]);
  assert.deepEqual(functionNames(edited, 0), ['leaf']);
  assert.deepEqual(functionNames(edited, copy), ['mark', 'leaf']);
  assert.equal(edited.locations.address[copy], base.locations.address[0]);
  assert.equal(edited.samples.values, base.samples.values, 'untouched columns are shared');
  assert.deepEqual([...base.samples.stackLocations], [0, 1, 2, 0, 1], 'the base stays as it was');
});

test('ids of new rows are fresh, also where the largest id is taken', () => {
  const base = sample();
  const sparse: Profile = {
    ...base,
    locations: { ...base.locations, id: new BigUint64Array([2n ** 64n - 1n, 1n, 9n]) },
  };
  const editor = new ProfileEditor(sparse);
  editor.splitLocation(0);
  editor.splitLocation(0);
  assert.deepEqual(editor.finish().locations.id, new BigUint64Array([2n ** 64n - 1n, 1n, 9n, 2n, 3n]));
});

test('unknown fields follow their rows: lines move, copies keep them, replaced lines lose them', () => {
  const base = sample();
  const known = [
    { message: UnknownIn.label, row: 0 },
    { message: UnknownIn.location, row: 0 },
    { message: UnknownIn.line, row: 0 },
    { message: UnknownIn.line, row: 1 },
    { message: UnknownIn.line, row: 2 },
  ];
  const withUnknown: Profile = {
    ...base,
    unknown: {
      length: 5,
      message: Uint8Array.from(known, ({ message }) => message),
      row: Uint32Array.from(known, ({ row }) => row),
      starts: Uint32Array.of(0, 1, 2, 3, 4, 5),
      bytes: Uint8Array.of(10, 20, 30, 31, 32),
    },
  };
  const editor = new ProfileEditor(withUnknown);
  const copy = editor.splitLocation(0);
  editor.setLines(0, []);
  editor.setLines(1, [
    { function: 0, line: 1 },
    { function: 1, line: 2 },
  ]);
  const { unknown } = editor.finish();
  const entries = [...unknown!.row].map((row, index) => [unknown!.message[index], row, unknown!.bytes[index]]);
  assert.deepEqual(entries, [
    [UnknownIn.label, 0, 10],
    [UnknownIn.location, 0, 20],
    [UnknownIn.location, copy, 20],
    [UnknownIn.line, 2, 32],
    [UnknownIn.line, 3, 30],
  ]);
});

test('added labels stand behind those that the sample has', () => {
  const editor = new ProfileEditor(sample());
  editor.addSampleLabel(1, { key: 'bytes', value: 2n ** 62n, unit: 'bytes' });
  editor.addSampleLabel(0, { key: 'k', value: 'w' });
  const { samples, strings } = editor.finish();
  assert.deepEqual([...samples.labelStart], [0, 2, 3]);
  assert.deepEqual(
    [...samples.labels.str].map((row) => stringAt(strings, row)),
    ['v', 'w', ''],
  );
  assert.deepEqual([...samples.labels.num], [0n, 0n, 2n ** 62n]);
});

test('rows that are not there are refused', () => {
  const editor = new ProfileEditor(sample());
  assert.throws(() => editor.setLines(0, [{ function: 99, line: 1 }]), RangeError);
  assert.throws(() => editor.setStackEntry(1, 2, 0), /stack entry 2 of 2/);
  assert.throws(() => editor.splitLocation(-1), RangeError);
});
