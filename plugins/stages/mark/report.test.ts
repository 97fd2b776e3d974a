import assert from 'node:assert/strict';
import { test } from 'node:test';
import { renderReport, reportJson } from './render.js';
import { type CheckTally, type MarkReport, mergeReports, noTally, type TypeReport } from './report.js';

const check = (name: string, at: number, after = 0): CheckTally => ({
  function: name,
  file: 'a.go',
  line: 3,
  kind: 'boundcheck',
  check: 'index',
  at: { value: BigInt(at) * 1_000_000n, samples: BigInt(at) },
  after: { value: BigInt(after) * 1_000_000n, samples: BigInt(after) },
});

const typeReport = (checks: readonly CheckTally[], more: Partial<TypeReport> = {}): TypeReport => ({
  type: 'cpu',
  unit: 'nanoseconds',
  total: { value: 200_000_000n, samples: 200n },
  at: checks.reduce((sum, { at }) => ({ value: sum.value + at.value, samples: sum.samples + at.samples }), noTally),
  after: noTally,
  preempted: noTally,
  countsPreempted: false,
  checks,
  ...more,
});

test('reports merge in any order and grouping to the same', () => {
  const a: MarkReport = [typeReport([check('f', 1), check('g', 2)])];
  const b: MarkReport = [typeReport([check('g', 5), check('h', 1)])];
  const c: MarkReport = [typeReport([check('f', 9)], { type: 'alloc_space', unit: 'bytes' })];
  const left = mergeReports(mergeReports(a, b), c);
  assert.deepEqual(mergeReports(a, mergeReports(b, c)), left);
  assert.deepEqual(mergeReports(c, mergeReports(b, a)), left);
  assert.deepEqual(
    left.map(({ type }) => type),
    ['alloc_space', 'cpu'],
  );
  assert.deepEqual(
    left[1]?.checks.map((row) => [row.function, row.at.samples]),
    [
      ['g', 7n],
      ['f', 1n],
      ['h', 1n],
    ],
  );
  assert.equal(left[1]?.total.samples, 400n);
});

test('the table lists the hottest checks with value, share and samples, and leaves out those with none', () => {
  const report = [typeReport([check('hot', 50, 20), check('warm', 10), check('cool', 1), check('behind', 0, 30)])];
  const { rows } = renderReport(report, 2);
  assert.deepEqual(rows, [
    ['hot', 'a.go:3', 'boundcheck index', '50 ms', '25.00 %', '50', '20 ms', '20'],
    ['warm', 'a.go:3', 'boundcheck index', '10 ms', '5.00 %', '10', '0 ns', '0'],
  ]);
  assert.equal(renderReport(report, 10).rows.length, 3);
});

test('the notes say how many samples the marks rest on, what is behind them, and what was preempted', () => {
  const report = [
    typeReport([check('hot', 5)], {
      after: { value: 8_000_000n, samples: 8n },
      preempted: { value: 30_000_000n, samples: 30n },
    }),
  ];
  const notes = renderReport(report, 10).notes.join('\n');
  assert.match(
    notes,
    /2\.50 % \(5 ms in 5 samples\) at checks and 4\.00 % \(8 ms in 8 samples\) at the instruction behind one/,
  );
  assert.match(notes, /5 samples are few/);
  assert.match(notes, /15\.00 % \(30 ms in 30 samples\) under runtime\.asyncPreempt, not counted/);
});

test('JSON has exact 64-bit numbers, and shares', () => {
  const value = 2n ** 60n + 1n;
  const report = [typeReport([], { total: { value, samples: 4n }, at: { value, samples: 2n } })];
  const json = JSON.parse(JSON.stringify(reportJson(report)));
  assert.equal(json.version, 1);
  assert.deepEqual(json.types[0].total, { value: '1152921504606846977', samples: 4 });
  assert.deepEqual(json.types[0].at, { value: '1152921504606846977', samples: 2, share: 1 });
});

test('shares are of samples where the values are all zero', () => {
  const total = { value: 0n, samples: 10n };
  const json = reportJson([typeReport([], { total, at: { value: 0n, samples: 1n } })]);
  assert.equal(JSON.parse(JSON.stringify(json)).types[0].at.share, 0.1);
});
