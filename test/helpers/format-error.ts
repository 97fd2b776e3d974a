import assert from 'node:assert/strict';
import { FormatError, type FormatErrorPlace } from '../../core/formats/errors.js';

/** Asserts that a call throws a FormatError of a code, with at least these facts of its place. */
export function assertFormatError(run: () => unknown, code: string, place: FormatErrorPlace = {}): void {
  let thrown: unknown;
  try {
    run();
  } catch (error) {
    thrown = error;
  }
  assert.ok(thrown instanceof FormatError, `FormatError ${code} expected, got ${String(thrown)}`);
  assert.equal(thrown.code, code, thrown.describe());
  for (const [key, value] of Object.entries(place)) {
    assert.equal(thrown.place[key as keyof FormatErrorPlace], value, `${key} of ${thrown.describe()}`);
  }
}
