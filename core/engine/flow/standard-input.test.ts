import assert from 'node:assert/strict';
import { test } from 'node:test';
import { KeptStream } from './standard-input.js';

async function* pieces(): AsyncGenerator<Uint8Array> {
  yield Buffer.from('one');
  yield Buffer.from('two');
}

async function textOf(stream: AsyncIterable<Uint8Array>): Promise<string> {
  const given: Uint8Array[] = [];
  for await (const piece of stream) given.push(piece);
  return Buffer.concat(given).toString();
}

test('few bytes can be read again, and nothing else', async () => {
  const few = new KeptStream(pieces(), 6);
  assert.equal(await textOf(few), 'onetwo');
  assert.equal(await textOf(few), 'onetwo');
  const many = new KeptStream(pieces(), 5);
  assert.equal(await textOf(many), 'onetwo');
  await assert.rejects(textOf(many), /read once/);
  const left = new KeptStream(pieces(), 6);
  for await (const _ of left) break;
  await assert.rejects(textOf(left), /read once/);
});
