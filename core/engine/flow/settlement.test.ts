import assert from 'node:assert/strict';
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { settled } from '../../../test/helpers/engine-plugins.js';
import { temporaryFolder } from '../../../test/helpers/temporary.js';
import type { Plan } from '../../config/plan.js';
import type { SourceItem } from '../contract/plugin.js';
import type { RunSummary } from '../contract/telemetry.js';
import { runPlan } from '../run.js';
import { Settlement } from './settlement.js';

const registryModule = new URL('../../../test/helpers/engine-plugins.js', import.meta.url).href;

interface Ended {
  readonly summary: RunSummary;
  readonly out: string;
  /** What was settled by the time of the signal. */
  readonly before: readonly string[];
}

/** Runs an endless source over texts and drains it once `isReady`. */
async function runUntil(
  t: TestContext,
  texts: readonly string[],
  path: string,
  aggregate: 'sorted' | 'by-word' | undefined,
  isReady: (out: string) => boolean,
): Promise<Ended> {
  const out = temporaryFolder(t);
  const stages = [{ plugin: 'act', options: {} }];
  const plan: Plan = {
    name: 'test',
    file: 'test.yml',
    pluginModules: [],
    source: { plugin: 'endless', options: { texts } },
    segments: aggregate ? [{ stages, aggregate: { plugin: aggregate, options: {} } }, { stages: [] }] : [{ stages }],
    outputs: [
      { sink: { plugin: 'file', options: { path: join(out, path) } }, codec: { plugin: 'words', options: {} } },
    ],
    onError: 'dead-letter',
    deadLetter: join(out, 'dead-letter'),
    isolation: 'thread',
    timeoutMs: 300_000,
    limits: {},
    secrets: [],
  };
  const drain = new AbortController();
  let before: readonly string[] = [];
  const poll = setInterval(() => {
    if (drain.signal.aborted || !isReady(out)) return;
    before = [...settled];
    drain.abort('SIGTERM');
  }, 5);
  const summary = await runPlan(plan, { registryModule, workers: 2, drain: drain.signal }).finally(() =>
    clearInterval(poll),
  );
  return { summary, out, before };
}

test('a source without an end is told of each item once its output or dead letter is there, and ends with 0', async (t) => {
  const { summary, out } = await runUntil(
    t,
    ['a', 'b', ''],
    '{label:from}-{name}.words',
    undefined,
    () => settled.length === 3,
  );
  assert.deepEqual(settled, ['item0 delivered', 'item1 delivered', 'item2 delivered']);
  assert.equal(summary.status, 'ok');
  assert.equal(summary.exitCode, 0);
  assert.deepEqual(summary.counters.endless, { waits: 1 });
  assert.deepEqual(
    summary.warnings.filter(({ code }) => code === 'W_WAITED'),
    [{ code: 'W_WAITED', message: 'waited', items: 2 }],
  );
  assert.deepEqual(readdirSync(out).sort(), ['here-item0.words', 'here-item1.words', 'here-item2.words']);
});

test('a dead letter settles its item', async (t) => {
  const { summary } = await runUntil(t, ['bad', 'b'], '{name}.words', undefined, () => settled.length === 2);
  assert.deepEqual(settled, ['item0 dead-lettered', 'item1 delivered']);
  assert.equal(summary.exitCode, 20);
});

test('behind a barrier items are settled with the whole, which is written at the end', async (t) => {
  const isReady = (out: string) => existsSync(join(out, 'dead-letter'));
  const { summary, out, before } = await runUntil(t, ['a', 'b', 'bad', 'sleep50 c'], 'all.words', 'sorted', isReady);
  assert.ok(before.every((each) => each === 'item2 dead-lettered'));
  assert.deepEqual([...settled].sort(), [
    'item0 delivered',
    'item1 delivered',
    'item2 dead-lettered',
    'item3 delivered',
  ]);
  assert.equal(summary.exitCode, 20);
  assert.ok(existsSync(join(out, 'all.words')));
});

test('where one group of several is written its items are settled: they would be written twice if they came again', async (t) => {
  const isReady = (out: string) => existsSync(join(out, 'dead-letter'));
  const path = '{group:word}.words';
  const some = await runUntil(t, ['fine', 'throw1', 'throw2', 'bad'], path, 'by-word', isReady);
  assert.deepEqual(readdirSync(some.out).sort(), ['dead-letter', 'fine.words']);
  assert.equal(some.summary.failures.length, 3);
  assert.deepEqual([...settled].sort(), [
    'item0 delivered',
    'item1 delivered',
    'item2 delivered',
    'item3 dead-lettered',
  ]);
  const none = await runUntil(t, ['throw1', 'throw2', 'bad'], path, 'by-word', isReady);
  assert.deepEqual(readdirSync(none.out), ['dead-letter']);
  assert.deepEqual(settled, ['item2 dead-lettered']);
});

test('an item of several windows is settled with the last, and in part with those before', () => {
  const [a, b, timeless] = ['a', 'b', 'timeless'].map(
    (name): SourceItem => ({ uri: name, name, data: { path: name } }),
  );
  const settlement = new Settlement();
  const batch = { items: [], unreadable: [], settled: new Map([a!, b!, timeless!].entries()) };
  settlement.added(batch, [
    { index: 0, timeMs: 5, arrivalMs: 100, endsMs: [10, 20, 30] },
    { index: 1, timeMs: 15, arrivalMs: 101, endsMs: [20, 30] },
    { index: 2, timeMs: undefined, arrivalMs: 102, endsMs: [] },
  ]);
  const first = settlement.begin(12);
  assert.deepEqual(first.ended, [timeless]);
  assert.deepEqual([...first.partly], [[a, { arrivalMs: 100, untilMs: 12 }]]);
  assert.deepEqual(first.open, [a, b]);
  assert.deepEqual(settlement.begin(19), { ended: [], partly: new Map(), open: [a, b] });
  const third = settlement.begin(20);
  assert.deepEqual([...third.partly].sort(), [
    [a, { arrivalMs: 100, untilMs: 20 }],
    [b, { arrivalMs: 101, untilMs: 20 }],
  ]);
  assert.deepEqual(settlement.begin(Number.POSITIVE_INFINITY), { ended: [a, b], partly: new Map(), open: [] });
});

test('an output without {name} is refused before anything is read', async (t) => {
  for (const path of ['all.words', '{index}.words', '{label:from}.words']) {
    await assert.rejects(
      runUntil(t, ['a'], path, undefined, () => true),
      { name: 'UsageError', code: 'output-twice' },
    );
  }
  assert.deepEqual(settled, []);
});

test('of many outputs the latest are told', async (t) => {
  const texts = Array.from({ length: 1_010 }, (_, index) => `w${index}`);
  const { summary } = await runUntil(t, texts, '{name}.words', undefined, () => settled.length === texts.length);
  assert.equal(summary.inputs.delivered, 1_010);
  assert.equal(summary.outputs.length, 1_000);
  assert.equal(summary.outputs.at(-1)?.input, 'item1009');
});
