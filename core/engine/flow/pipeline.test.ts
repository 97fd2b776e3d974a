import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { nothingDone } from '../contract/protocol.js';
import type { Batch } from './batches.js';
import { runFlow } from './pipeline.js';

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

const executor = {
  lanes: 2,
  isHere: false,
  progress: () => ({ done: 0, failed: 0 }),
  ready: async () => {},
  run: async () => nothingDone,
  retire: async () => {},
  close: async () => {},
};

function flowOf(batches: AsyncIterable<Batch>, drain: AbortSignal, commit = async () => {}) {
  const siteAt = () => ({ stage: 'engine' });
  return {
    ...{ batches, executor, sharesPerItem: 1, keepBytes: undefined, whole: undefined },
    ...{ siteAt, drain, retires: true, commit },
  };
}

function batchOf(index: number): Batch {
  const name = `${index}`;
  return {
    items: [{ uri: name, name, index, data: { bytes: new Uint8Array(1) } }],
    unreadable: [],
    settled: new Map(),
  };
}

test('a batch that is done is not held until the end of the run', async () => {
  const given: WeakRef<Batch>[] = [];
  let alive = Number.POSITIVE_INFINITY;
  async function* batches() {
    for (let index = 0; index < 1_000; index++) {
      const batch = batchOf(index);
      given.push(new WeakRef(batch));
      yield batch;
    }
    // What a WeakRef was made of lives to the end of its turn.
    await turn();
    collectGarbage();
    alive = given.filter((batch) => batch.deref() !== undefined).length;
  }
  await runFlow(flowOf(batches(), new AbortController().signal));
  assert.ok(alive < 20, `${alive} of 1000 batches are alive`);
});

test('a drain ends the flow though the source does not answer', async () => {
  const drain = new AbortController();
  async function* batches() {
    yield batchOf(0);
    await new Promise(() => {});
  }
  let committed = 0;
  await runFlow(
    flowOf(batches(), drain.signal, async () => {
      committed += 1;
      drain.abort();
    }),
  );
  assert.equal(committed, 1);
});
