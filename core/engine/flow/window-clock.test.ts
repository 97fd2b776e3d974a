import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { WindowRules } from '../contract/plugin.js';
import { WindowClock } from './window-clock.js';

const clockOf = (change: Partial<WindowRules> = {}) =>
  new WindowClock({ lengthMs: 60, clock: 'profile', latenessMs: 0, late: 'add', ...change });
/** An item of windows that start every `distance`. */
const at = (timeMs: number, distance = 60) => {
  const ends: number[] = [];
  for (let end = (Math.floor(timeMs / distance) + 1) * distance; end <= timeMs + 60; end += distance) ends.push(end);
  return { index: 0, timeMs, arrivalMs: 0, endsMs: ends };
};
const timeless = { index: 0, timeMs: undefined, arrivalMs: 0, endsMs: [] };
const NONE = Number.NEGATIVE_INFINITY;

test('a window ends when the newest profile is past its end by the lateness', () => {
  const clock = clockOf({ latenessMs: 10 });
  clock.begin(1_000);
  clock.add([at(5), at(65)]);
  assert.equal(clock.ended(1_000), undefined);
  clock.add([at(69)]);
  assert.equal(clock.ended(1_000), undefined);
  clock.add([at(70)]);
  assert.equal(clock.ended(1_000), 60);
  clock.close(60);
  assert.equal(clock.ended(1_000), undefined);
  assert.equal(clock.begin(1_000).closedMs, 60);
});

test('a profile from the future ends nothing that is not over here', () => {
  const clock = clockOf();
  clock.begin(30);
  clock.add([at(5), at(1e12)]);
  assert.equal(clock.ended(30), undefined);
  assert.equal(clock.ended(60), 60);
});

test('what overlaps ends one after the other', () => {
  const clock = clockOf();
  clock.begin(1_000);
  clock.add([at(45, 20), at(61, 20)]);
  assert.equal(clock.ended(1_000), 61);
  clock.close(61);
  clock.add([at(79, 20)]);
  assert.equal(clock.ended(1_000), undefined);
  clock.add([at(81, 20)]);
  assert.equal(clock.ended(1_000), 81);
});

test('a stream that rests has ended all, also what has no time', () => {
  const clock = clockOf({ latenessMs: 10 });
  assert.equal(clock.nextMs(), undefined);
  clock.begin(1_000);
  clock.add([at(5), at(130)]);
  assert.equal(clock.nextMs(), 1_070);
  assert.equal(clock.ended(1_069), 120);
  assert.equal(clock.ended(1_070), 180);
  clock.close(180);
  assert.equal(clock.ended(9_000), undefined);
  clock.begin(9_000);
  clock.add([timeless]);
  assert.equal(clock.ended(9_069), undefined);
  assert.equal(clock.ended(9_070), 180);
  assert.equal(new WindowClock({ lengthMs: 60, clock: 'profile', latenessMs: 0, late: 'add' }).ended(5), undefined);
});

test('what comes late waits for the next window that ends', () => {
  const clock = clockOf();
  clock.begin(1_000);
  clock.add([at(5), at(65)]);
  clock.close(clock.ended(1_000)!);
  clock.add([at(7)]);
  assert.equal(clock.ended(1_000), undefined);
  clock.add([at(125)]);
  assert.equal(clock.ended(1_000), 125);
});

test('by arrival a window ends when it is over, and a clock that is set back opens none that is written', () => {
  const clock = clockOf({ clock: 'arrival' });
  assert.deepEqual(clock.begin(30), { arrivalMs: 30, closedMs: NONE });
  clock.add([at(30)]);
  assert.equal(clock.nextMs(), 60);
  assert.equal(clock.ended(59), undefined);
  assert.equal(clock.ended(61), 61);
  clock.close(61);
  assert.deepEqual(clock.begin(40), { arrivalMs: 61, closedMs: 61 });
});
