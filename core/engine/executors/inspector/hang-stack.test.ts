import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type TestContext, test } from 'node:test';
import { Worker } from 'node:worker_threads';
import { stackOfThread } from './hang-stack.js';

/** A thread that has begun to run the lines, which have a name of their own for stacks. */
async function threadWith(t: TestContext, lines: readonly string[]): Promise<Worker> {
  const code = ["require('node:worker_threads').parentPort.postMessage('begun');", ...lines];
  const worker = new Worker(`${code.join('\n')}\n//# sourceURL=file:///plugin/work.js`, { eval: true });
  t.after(() => worker.terminate());
  await once(worker, 'message');
  return worker;
}

test('of an endless loop the stack is told, innermost first, and the thread can be ended then', async (t) => {
  const worker = await threadWith(t, ['function spin() {', '  for (;;);', '}', 'spin();']);
  const [innermost, next] = (await stackOfThread(worker.threadId))!.split('\n');
  assert.match(innermost!, /^ {4}at spin \(file:\/\/\/plugin\/work\.js:3:\d+\)$/);
  assert.match(next!, /^ {4}at file:\/\/\/plugin\/work\.js:5:1$/);
  assert.equal(await worker.terminate(), 1);
});

test('a thread that sleeps is found where it sleeps', async (t) => {
  const worker = await threadWith(t, ['Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);']);
  assert.match((await stackOfThread(worker.threadId))!, /^ {4}at file:\/\/\/plugin\/work\.js:2:9\n/);
  assert.equal(await worker.terminate(), 1);
});

test('a thread that waits for an event has no stack, and goes on', async (t) => {
  const worker = await threadWith(t, [
    "const { parentPort } = require('node:worker_threads');",
    "parentPort.on('message', (message) => parentPort.postMessage(message));",
  ]);
  // Online is a thread before it has run its script to the end.
  worker.postMessage('started');
  await once(worker, 'message');
  assert.equal(await stackOfThread(worker.threadId), undefined);
  worker.postMessage('alive');
  assert.deepEqual(await once(worker, 'message'), ['alive']);
});

test('of a thread that is not there nothing is known', async () => {
  assert.equal(await stackOfThread(999_999), undefined);
});
