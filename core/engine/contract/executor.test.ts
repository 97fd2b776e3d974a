import assert from 'node:assert/strict';
import { test } from 'node:test';
import { PluginRefusal } from './errors.js';
import { fromReplies, stoppedAtWork } from './executor.js';
import type { TaskReply } from './protocol.js';

const refusal = {
  code: 'plugin-refuses',
  message: 'stages[0]: no room left for its index',
  where: 'stages[0]',
  option: [],
};
const replying = (reply: TaskReply) => fromReplies(async () => reply);

test('plugins that the first worker cannot make are a refusal of the pipeline', async () => {
  await assert.rejects(replying({ kind: 'unusable', refusal }).ready(), (error) => {
    assert.ok(error instanceof PluginRefusal);
    assert.equal(error.message, refusal.message);
    return true;
  });
});

test('plugins that a later worker cannot make stop the run, and say why', async () => {
  const { run } = replying({ kind: 'unusable', refusal });
  await assert.rejects(run({ kind: 'items', items: [] }), {
    name: 'RunStopped',
    code: 'E_WORKER',
    message: /no room left for its index/,
  });
});

test('a worker that has not kept the partial has lost it', async () => {
  await assert.rejects(replying({ kind: 'gone' }).run({ kind: 'items', items: [], onto: 'kept' }), {
    name: 'TaskLost',
    code: 'E_WORKER_DIED',
  });
});

test('an executor that is closed while plugins are made blames none of them', async () => {
  const { ready } = fromReplies(() => Promise.reject(stoppedAtWork()));
  await assert.rejects(ready(), { name: 'RunStopped', code: 'E_INTERRUPTED' });
});
