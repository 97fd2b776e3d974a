import assert from 'node:assert/strict';
import { once } from 'node:events';
import { test } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import type { Worker } from 'node:worker_threads';
import { executorSetup } from '../../../test/helpers/executor-setup.js';
import { poolExecutor } from './pool.js';

test('no thread begins when the executor is closed once more while its threads end', async () => {
  const begun: Worker[] = [];
  const onWorker = (worker: Worker) => void begun.push(worker);
  process.on('worker', onWorker);
  try {
    const executor = poolExecutor(executorSetup, 2);
    await executor.ready();
    const exits = begun.map((worker) => once(worker, 'exit'));
    await Promise.all([executor.retire(1), executor.close(), executor.close()]);
    await Promise.all(exits);
    // One that takes the place of another begins with the exit of that.
    await turn();
    assert.equal(begun.length, 2);
  } finally {
    process.off('worker', onWorker);
    await Promise.all(begun.map((worker) => worker.terminate()));
  }
});
