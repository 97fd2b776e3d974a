import assert from 'node:assert/strict';
import { test } from 'node:test';
import { batchesOfLines } from './stdin-lines.js';

async function* stream(...pieces: readonly string[]): AsyncGenerator<Uint8Array> {
  for (const piece of pieces) yield Buffer.from(piece);
}

const linesOf = (batch: Uint8Array) => Buffer.from(batch).toString().split('\n');

async function all(stream: AsyncIterable<Uint8Array>): Promise<(readonly string[])[]> {
  const batches: (readonly string[])[] = [];
  for await (const batch of batchesOfLines(stream)) batches.push(linesOf(batch));
  return batches;
}

test('what has come is one batch, and a line goes on in the next piece', async () => {
  assert.deepEqual(await all(stream('1\n2\n3', '4\n', '5')), [['1', '2', '34'], ['5']]);
});

test('what has not come is not waited for', async () => {
  let answered = () => {};
  const answer = new Promise<void>((resolve) => {
    answered = resolve;
  });
  async function* asking(): AsyncGenerator<Uint8Array> {
    yield Buffer.from('1\n');
    await answer;
    yield Buffer.from('2\n');
  }
  const batches: (readonly string[])[] = [];
  for await (const batch of batchesOfLines(asking())) {
    batches.push(linesOf(batch));
    answered();
  }
  assert.deepEqual(batches, [['1'], ['2']]);
});

test('a batch of a long stream ends, with the piece that fills it', async () => {
  const piece = '0123456\n'.repeat(2 ** 13);
  const batches = await all(stream(...Array.from({ length: 9 }, () => piece)));
  assert.deepEqual(
    batches.map(({ length }) => length),
    [2 ** 15, 2 ** 15, 2 ** 13],
  );
});

test('what goes wrong with the stream is thrown when its turn comes', async () => {
  async function* broken(): AsyncGenerator<Uint8Array> {
    yield Buffer.from('1\n');
    throw new Error('gone');
  }
  const batches: (readonly string[])[] = [];
  await assert.rejects(async () => {
    for await (const batch of batchesOfLines(broken())) batches.push(linesOf(batch));
  }, /gone/);
  assert.deepEqual(batches, [['1']]);
});
