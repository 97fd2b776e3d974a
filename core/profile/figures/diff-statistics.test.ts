import assert from 'node:assert/strict';
import { test } from 'node:test';
import { profileOf } from '../../../test/helpers/profiles.js';
import { statisticalDiff } from './diff-statistics.js';
import { twoSidedQuantile, twoSidedTail } from './student-t.js';
import { topFunctions } from './top.js';

function near(actual: number, wanted: number, tolerance = 1e-3): void {
  assert.ok(Math.abs(actual - wanted) <= tolerance * Math.max(1, Math.abs(wanted)), `${actual}, not ${wanted}`);
}

test('quantiles are those of the tables', () => {
  const table: [degrees: number, at95: number, at99: number][] = [
    [1, 12.7062, 63.6567],
    [2, 4.3027, 9.9248],
    [4, 2.7764, 4.6041],
    [10, 2.2281, 3.1693],
    [30, 2.0423, 2.75],
    [120, 1.9799, 2.6174],
  ];
  for (const [degrees, at95, at99] of table) {
    near(twoSidedQuantile(0.95, degrees), at95, 1e-4);
    near(twoSidedQuantile(0.99, degrees), at99, 1e-4);
  }
});

test('tails agree with the closed forms of one and two degrees of freedom', () => {
  for (let t = 0; t < 200; t += 0.37) {
    near(twoSidedTail(t, 1), 1 - (2 / Math.PI) * Math.atan(t), 1e-12);
    near(twoSidedTail(t, 2), 1 - t / Math.sqrt(2 + t * t), 1e-12);
  }
});

test('the interval and p are those of a Welch test by hand', () => {
  // Means 20 and 30, variances 4 and 16, four each: error √5, 4.412 degrees of freedom, t 4.472.
  const before = [18, 19, 21, 22].map((n) => topFunctions(profileOf(`main;work ${n}`)));
  const after = [26, 28, 30, 36].map((n) => topFunctions(profileOf(`main;work ${n}`)));
  const [{ flat }] = statisticalDiff(before, after).rows.filter((row) => row.function === 'work') as [
    ReturnType<typeof statisticalDiff>['rows'][number],
  ];
  near(flat.change, 10);
  const squaredError = 10 / 3 / 4 + 56 / 3 / 4;
  const degrees = squaredError ** 2 / ((10 / 12) ** 2 / 3 + (56 / 12) ** 2 / 3);
  near(flat.p, twoSidedTail(10 / Math.sqrt(squaredError), degrees), 1e-12);
  near(flat.high - flat.low, 2 * twoSidedQuantile(0.95, degrees) * Math.sqrt(squaredError), 1e-9);
  near(flat.before.margin, twoSidedQuantile(0.95, 3) * Math.sqrt(10 / 3 / 4), 1e-9);
});

/** Noise with a fixed seed: sums of uniform numbers, roughly normal. */
function noise(seed: number): () => number {
  let state = seed;
  const uniform = () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 32;
  };
  return () => Array.from({ length: 12 }, uniform).reduce((sum, value) => sum + value, -6);
}

test('of hundreds of functions that only wobble hardly any is called changed; the one that did change is', () => {
  const next = noise(7);
  const profile = (hot: number) =>
    topFunctions(
      profileOf(
        Array.from({ length: 400 }, (_, index) => `main;f${index} ${Math.round(1000 + 40 * next())}`)
          .concat(`main;hot ${Math.round(hot + 40 * next())}`)
          .join('\n'),
      ),
    );
  const before = Array.from({ length: 6 }, () => profile(1000));
  const after = Array.from({ length: 6 }, () => profile(1400));
  const { rows } = statisticalDiff(before, after);
  const significant = rows.filter(({ isSignificant }) => isSignificant.flat).map((row) => row.function);
  assert.equal(rows[0]!.function, 'hot');
  assert.equal(significant[0], 'hot');
  assert.ok(significant.length <= 3, significant.join());
  const byP = rows.filter(({ flat }) => flat.p < 0.05);
  assert.ok(byP.length > 10, 'without judging all together some twenty would be called changed');
});

test('a function that one side does not have counts as 0 there', () => {
  const before = [1, 2].map(() => topFunctions(profileOf('main;old 5')));
  const after = [1, 2].map(() => topFunctions(profileOf('main;new 7')));
  const rows = statisticalDiff(before, after).rows.filter(({ function: name }) => name !== 'main');
  assert.deepEqual(
    rows.map(({ function: name, flat }) => [name, flat.before.mean, flat.after.mean, flat.change]),
    [
      ['new', 0, 7, 7],
      ['old', 5, 0, -5],
    ],
  );
});

test('one profile a side has no statistics, and units must agree', () => {
  const one = topFunctions(profileOf('main 1'));
  assert.throws(() => statisticalDiff([one], [one, one]), { code: 'E_TOO_FEW' });
  const other = topFunctions(profileOf('main 1', { sampleTypes: [{ type: 'samples', unit: 'bytes' }] }));
  assert.throws(() => statisticalDiff([one, one], [one, other]), { code: 'E_INCOMPATIBLE' });
});
