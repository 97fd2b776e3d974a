import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Profile, ProfileBuilder } from '../../../core/index.js';
import { type CodePlace, findInlineMarks } from './inline-marks.js';

/** Functions of 0x100 bytes each; the last digit of an address is the depth of inlining there. */
const placeOf =
  (profile: Profile) =>
  (location: number): CodePlace => {
    const address = Number(profile.locations.address[location]);
    return { functionIndex: address >>> 8, depth: address & 15 };
  };

/** @param stack leaf first: addresses, with the names of their lines, innermost first @returns the addresses that are marks */
function marksOf(stack: readonly (readonly [address: number, ...names: string[]])[], mapped = false): number[] {
  const builder = new ProfileBuilder({ sampleTypes: [{ type: 'goroutine', unit: 'count' }] });
  if (mapped) builder.mapping({ memoryStart: 0x1000, memoryLimit: 0x9000 });
  const rows = stack.map(([address, ...names]) =>
    builder.location({ address, lines: names.map((name) => ({ function: builder.function({ name }), line: 1 })) }),
  );
  builder.addSample({ stack: rows, values: [1] });
  const profile = builder.finish();
  const marks = findInlineMarks(profile, placeOf(profile));
  return rows.filter((row) => marks?.[row] === 1).map((row) => Number(profile.locations.address[row]));
}

test('addresses behind an inlined call that has no name are of its frame, as many as were inlined', () => {
  assert.deepEqual(marksOf([[0x1001], [0x2003], [0x2012], [0x2021], [0x2031], [0x3001, 'main']]), [0x2012, 0x2021]);
});

test('a named location takes as many of them as it has lines', () => {
  assert.deepEqual(marksOf([[0x2003], [0x2012, 'notify', 'wait'], [0x2021, 'wait'], [0x3001, 'main']]), [0x2012]);
});

test('another function ends them, and named calls have none', () => {
  assert.deepEqual(marksOf([[0x2002], [0x3001], [0x2001, 'wait'], [0x2001, 'main']]), []);
  assert.deepEqual(
    marksOf([
      [0x2002, 'inner', 'outer'],
      [0x2001, 'outer'],
    ]),
    [],
  );
});

test('profiles with mappings, or without names, list no calls that were inlined', () => {
  assert.deepEqual(marksOf([[0x2002], [0x2011], [0x3001, 'main']], true), []);
  assert.deepEqual(marksOf([[0x2002], [0x2011], [0x3001]]), []);
});
