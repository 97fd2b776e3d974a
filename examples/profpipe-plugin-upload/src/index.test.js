import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { test } from 'node:test';
import { testPlugin } from 'profpipe/testing';
import plugin from './index.js';

testPlugin(plugin);

/** A server that keeps what is put, and refuses what is called "no". @returns its URL and what it got */
async function startServer(t) {
  const got = new Map();
  const server = createServer(async (request, response) => {
    const pieces = [];
    for await (const piece of request) pieces.push(piece);
    got.set(
      `${request.method} ${request.url} ${request.headers.authorization ?? ''}`,
      Buffer.concat(pieces).toString(),
    );
    response.statusCode = request.url === '/no.pb.gz' ? 403 : 201;
    response.end();
  });
  server.listen(0, '127.0.0.1');
  t.after(() => server.close());
  await once(server, 'listening');
  return { url: `http://127.0.0.1:${server.address().port}/`, got };
}

const sinkFor = (url, token = '') => plugin.create({ url, token, timeout_seconds: 5 });
const item = (name) => ({ name, index: 0, labels: {}, bytes: [Buffer.from('by'), Buffer.from('tes')] });

test('an output is put below the url, with the token', async (t) => {
  const { url, got } = await startServer(t);
  const sink = sinkFor(url, 's3cret');
  await sink.prepare();
  const written = await sink.write(item('cpu 1'));
  assert.deepEqual(written, { destination: `${url}cpu%201.pb.gz`, bytes: 5 });
  assert.deepEqual([...got], [['PUT /cpu%201.pb.gz Bearer s3cret', 'bytes']]);
});

test('another answer than 2xx costs the output', async (t) => {
  const { url } = await startServer(t);
  await assert.rejects(sinkFor(url).write(item('no')), /no\.pb\.gz: the server answered 403/);
});

test('a server that does not answer stops the run', async () => {
  await assert.rejects(sinkFor('http://127.0.0.1:1').write(item('x')), { name: 'RunStopped', code: 'E_UPLOAD' });
});
