/** The editor against a naive model: the same edits on plain objects give the same profile. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { arbitraryProfile } from '../../../test/helpers/random-profile.js';
import { checkProfile } from '../check.js';
import { idAt, type Profile, stringAt } from '../profile.js';
import { ProfileEditor } from './editor.js';

/** A profile as plain objects, with texts in place of string and function rows. */
interface Model {
  locations: { place: string; lines: string[] }[];
  stacks: number[][];
  labels: string[][];
  flags: number[];
}

function modelOf(profile: Profile): Model {
  const { samples, locations, functions, mappings } = profile;
  const text = (row: number) => stringAt(profile.strings, row);
  const rows = (starts: Uint32Array, row: number) =>
    Array.from({ length: starts[row + 1]! - starts[row]! }, (_, index) => starts[row]! + index);
  return {
    locations: Array.from({ length: locations.length }, (_, location) => ({
      place: `${locations.mapping[location]} ${locations.address[location]} ${locations.isFolded[location]}`,
      lines: rows(locations.lineStart, location).map((line) => {
        const called = locations.lines.function[line]!;
        const names = [functions.name, functions.systemName, functions.filename].map((column) => text(column[called]!));
        const column = locations.lines.column?.[line] ?? 0n;
        return `${names.join('|')}|${functions.startLine[called]} ${locations.lines.line[line]} ${column}`;
      }),
    })),
    stacks: Array.from({ length: samples.length }, (_, sample) => [
      ...samples.stackLocations.subarray(samples.stackStart[sample]!, samples.stackStart[sample + 1]!),
    ]),
    labels: Array.from({ length: samples.length }, (_, sample) =>
      rows(samples.labelStart, sample).map((label) => {
        const { key, str, num, numUnit } = samples.labels;
        return `${text(key[label]!)} ${text(str[label]!)} ${num[label]} ${text(numUnit[label]!)}`;
      }),
    ),
    flags: [...mappings.flags],
  };
}

const edit = fc.record({
  kind: fc.constantFrom('lines', 'prepend', 'split', 'leaf', 'label', 'flags'),
  row: fc.nat(1000),
  name: fc.constantFrom('name1', 'runtime.boundcheck', 'new', '__proto__'),
  number: fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }),
});
type Edit = typeof edit extends fc.Arbitrary<infer Value> ? Value : never;

/** Applies an edit to both; one whose table is empty is passed over. */
function apply({ kind, row, name, number }: Edit, editor: ProfileEditor, model: Model): void {
  const location = row % model.locations.length;
  const sample = row % model.stacks.length;
  const newLine = { function: 0, line: number, column: 3 };
  const lineText = `${name}|${name}|new.go|0 ${number} 3`;
  const intern = () => ({ ...newLine, function: editor.function({ name, filename: 'new.go' }) });
  if (kind === 'lines' && model.locations.length > 0) {
    editor.setLines(location, [intern()]);
    model.locations[location]!.lines = [lineText];
  } else if (kind === 'prepend' && model.locations.length > 0) {
    editor.setLines(location, [intern(), ...editor.linesOf(location)]);
    model.locations[location]!.lines.unshift(lineText);
  } else if (kind === 'split' && model.locations.length > 0) {
    assert.equal(editor.splitLocation(location), model.locations.length);
    const { place, lines } = model.locations[location]!;
    model.locations.push({ place, lines: [...lines] });
  } else if (kind === 'leaf' && model.stacks.length > 0 && model.stacks[sample]!.length > 0) {
    editor.replaceLeaf(sample, model.locations.length - 1);
    model.stacks[sample]![0] = model.locations.length - 1;
  } else if (kind === 'label' && model.stacks.length > 0) {
    editor.addSampleLabel(sample, { key: name, value: number, unit: 'bytes' });
    model.labels[sample]!.push(`${name}  ${number} bytes`);
  } else if (kind === 'flags' && model.flags.length > 0) {
    editor.setMappingFlags(row % model.flags.length, row % 16);
    model.flags[row % model.flags.length] = row % 16;
  }
}

test('edits give what they give on plain objects, and leave the base as it was', () => {
  fc.assert(
    fc.property(arbitraryProfile(), fc.array(edit, { maxLength: 12 }), (base, edits) => {
      const before = modelOf(base);
      const model = modelOf(base);
      const editor = new ProfileEditor(base);
      for (const each of edits) apply(each, editor, model);
      const edited = editor.finish();
      assert.deepEqual(checkProfile(edited), []);
      assert.deepEqual(modelOf(edited), model);
      assert.deepEqual(modelOf(base), before);
      for (let row = 0; row < base.locations.length; row++) {
        assert.equal(idAt(edited.locations.id, row), idAt(base.locations.id, row));
      }
    }),
    { numRuns: 300 },
  );
});
