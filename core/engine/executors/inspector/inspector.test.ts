import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Worker } from 'node:worker_threads';
import { type InspectedWorker, Inspector } from './inspector.js';

test('a thread that has ended answers no question, and says so', async (t) => {
  const found = new Promise<InspectedWorker>((resolve) => {
    const inspector = new Inspector(resolve);
    t.after(() => inspector.close());
  });
  const worker = new Worker("require('node:worker_threads').parentPort.on('message', () => {});", { eval: true });
  const inspected = await found;
  assert.ok(await inspected.ask('Runtime.enable'));
  await worker.terminate();
  // The first may come while it ends, the second comes behind that.
  for (let times = 0; times < 2; times++) {
    await assert.rejects(inspected.ask('Runtime.enable'), { message: `thread ${inspected.threadId} has ended` });
  }
});
