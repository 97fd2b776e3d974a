import assert from 'node:assert/strict';
import { once } from 'node:events';
import { test } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import type { Worker } from 'node:worker_threads';
import { poolExecutor } from './pool.js';

const setup = {
  plan: {
    name: 'test',
    file: 'test.yml',
    pluginModules: [],
    source: { plugin: 'texts', options: { texts: [] } },
    segments: [{ stages: [] }],
    outputs: [{ sink: { plugin: 'file', options: { path: '{name}.words' } }, codec: { plugin: 'words', options: {} } }],
    onError: 'dead-letter',
    deadLetter: 'dead-letter',
    isolation: 'thread',
    timeoutMs: 300_000,
    limits: {},
    secrets: [],
  },
  registryModule: new URL('../../../test/helpers/engine-plugins.js', import.meta.url).href,
  labelKeys: [],
} as const;

test('no thread begins when the executor is closed once more while its threads end', async () => {
  const begun: Worker[] = [];
  const onWorker = (worker: Worker) => void begun.push(worker);
  process.on('worker', onWorker);
  try {
    const executor = poolExecutor(setup, 2);
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
