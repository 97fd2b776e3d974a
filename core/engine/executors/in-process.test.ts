import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { executorSetup } from '../../../test/helpers/executor-setup.js';
import type { TaskResult } from '../contract/protocol.js';
import { inProcessExecutor } from './in-process.js';

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

test('the result of a task, which may be an output, is not held until the end of the run', async () => {
  const executor = inProcessExecutor(executorSetup);
  await executor.ready();
  const results: WeakRef<TaskResult>[] = [];
  for (let index = 0; index < 200; index++) {
    const item = { uri: 'a', name: 'a', index, data: { bytes: Buffer.from('words\na') } };
    results.push(new WeakRef(await executor.run({ kind: 'items', items: [item] })));
  }
  // What a WeakRef was made of lives to the end of its turn.
  await turn();
  collectGarbage();
  const alive = results.filter((result) => result.deref() !== undefined).length;
  await executor.close();
  assert.ok(alive < 20, `${alive} of 200 results are alive`);
});
