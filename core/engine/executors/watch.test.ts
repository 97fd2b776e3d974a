import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Plan } from '../../config/plan.js';
import type { Task } from '../contract/protocol.js';
import { type Overrun, Watch } from './watch.js';

const TIMEOUT_MS = 500;
const watchOf = (t: { after(end: () => void): void }) => {
  const watch = new Watch({ timeoutMs: TIMEOUT_MS } as Plan, Number.POSITIVE_INFINITY, () => 0);
  t.after(() => watch.close());
  return watch;
};
const items = { kind: 'items' } as Task;
/** Where nothing runs meanwhile, as in a machine that sleeps. */
const stop = (ms: number) => void Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);

test('a task that stays at one item is ended, once, and one that goes on is not', async (t) => {
  const watch = watchOf(t);
  const ended: string[] = [];
  let steps = 1;
  const taskOf = (name: string, stepsOf: () => number) => ({
    task: items,
    whereabouts: () => ({ steps: stepsOf(), item: 0, place: 1, thread: 1 }),
    end: ({ code, message }: Overrun) => void ended.push(`${name} ${code} ${message}`),
  });
  watch.add(taskOf('goes on', () => steps++));
  watch.add(taskOf('stays', () => 1));
  watch.add(taskOf('waits', () => 0));
  while (ended.length === 0) await sleep(10);
  await sleep(TIMEOUT_MS * 2);
  assert.deepEqual(ended, ['stays E_TIMEOUT no end within 0.5 s; its worker was ended']);
});

test('time in which nothing could run does not count', async (t) => {
  const watch = watchOf(t);
  let isEnded = false;
  watch.add({
    task: items,
    whereabouts: () => ({ steps: 1, item: 0, place: 1, thread: 1 }),
    end: () => {
      isEnded = true;
    },
  });
  // A tick is a tenth of the time.
  for (let pause = 0; pause < 3; pause++) {
    await sleep(TIMEOUT_MS / 10);
    stop(2 * TIMEOUT_MS);
  }
  assert.equal(isEnded, false);
  while (!isEnded) await sleep(10);
});
