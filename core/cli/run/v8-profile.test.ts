import assert from 'node:assert/strict';
import { test } from 'node:test';
import { checkProfile } from '../../profile/check.js';
import { plainProfile } from '../../profile/edit/plain-samples.js';
import { profileOfThreads } from './v8-profile.js';

type Frame = readonly [id: number, name: string, url: string, line: number, ...children: number[]];

function v8Profile(frames: readonly Frame[], samples: number[], timeDeltas: number[]) {
  const nodes = frames.map(([id, functionName, url, lineNumber, ...children]) => ({
    id,
    callFrame: { functionName, scriptId: '1', url, lineNumber, columnNumber: 0 },
    children,
  }));
  const endTime = 1_000 + timeDeltas.reduce((sum, delta) => sum + delta, 0) + 5_000;
  return { nodes, samples, timeDeltas, startTime: 1_000, endTime };
}

const work: readonly Frame[] = [
  [1, '(root)', '', -1, 2, 5, 6],
  [2, 'run', 'file:///p/run%20all.js', 9, 3, 4],
  [3, 'inner', 'node:fs', 41],
  [4, '', 'file:///p/run%20all.js', 19],
  [5, '(idle)', '', -1],
  [6, '(garbage collector)', '', -1],
];

test('each sample is worth the time until the next, idle ones are left out, threads are labels', () => {
  const main = v8Profile(work, [3, 5, 3, 4, 6], [1_000, 2_000, 7_000, 1_000, 500]);
  const worker = v8Profile([work[0]!, work[1]!], [2], [100]);
  const profile = profileOfThreads(
    [
      { thread: 'main', profile: main },
      { thread: 'worker 1', profile: worker },
    ],
    1_700_000_000_000,
  );
  checkProfile(profile);
  assert.equal(profile.timeNanos, 1_700_000_000_000_000_000n);
  assert.equal(profile.durationNanos, 16_500_000n);
  const seen = plainProfile(profile).samples.map(({ frames, values, labels }) => [
    frames.map(({ name, filename, line }) => `${name} ${filename}:${line}`),
    values,
    labels.thread,
  ]);
  assert.deepEqual(seen, [
    [['inner node:fs:42', 'run /p/run all.js:10'], [2n, 3_000_000n], 'main'],
    [['(anonymous run all.js:20) /p/run all.js:20', 'run /p/run all.js:10'], [1n, 500_000n], 'main'],
    [['(garbage collector) :0'], [1n, 5_000_000n], 'main'],
    [['run /p/run all.js:10'], [1n, 5_000_000n], 'worker 1'],
  ]);
});

test('a worker that waits for a task is idle', () => {
  const frames: readonly Frame[] = [
    [1, '(root)', '', -1, 2],
    [2, 'onMessage', 'file:///n/piscina/dist/worker.js', 1, 3],
    [3, 'atomicsWaitLoop', 'file:///n/piscina/dist/worker.js', 125],
  ];
  const profile = profileOfThreads([{ thread: 'worker 1', profile: v8Profile(frames, [3, 3, 2], [1, 1, 1]) }], 0);
  assert.deepEqual(
    plainProfile(profile).samples.map(({ frames }) => frames[0]?.name),
    ['onMessage'],
  );
});

test('of no thread, and of one without samples, there is an empty profile', () => {
  assert.equal(profileOfThreads([], 0).samples.length, 0);
  const empty = { nodes: [], startTime: 0, endTime: 0 };
  assert.equal(profileOfThreads([{ thread: 'main', profile: empty }], 0).samples.length, 0);
});
