import assert from 'node:assert/strict';
import { EventEmitter, once } from 'node:events';
import { existsSync, mkdirSync, readdirSync, readFileSync, utimesSync } from 'node:fs';
import { createServer, type RequestListener, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { dirname } from 'node:path';
import { type TestContext, test } from 'node:test';
import { buildGoBinary } from '../../test/helpers/go-binary.js';
import { temporaryFolder, writeInto } from '../../test/helpers/temporary.js';
import { ProfileBuilder } from '../profile/edit/builder.js';
import { buildIdPath } from './binary-folders.js';
import { Debuginfod, type DebuginfodOptions } from './debuginfod.js';
import { createBinaryStore } from './file-store.js';

async function serve(t: TestContext, listener: RequestListener): Promise<string> {
  const server = createServer(listener).listen(0, '127.0.0.1');
  await new Promise((resolve) => server.on('listening', resolve));
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

const client = (folder: string, servers: readonly string[], more: Partial<DebuginfodOptions> = {}) =>
  new Debuginfod({ servers, folder, timeoutMs: 60_000, folderBytes: 1_000, ...more });

test('a file is asked for once, by the protocol’s path, and kept for later clients', async (t) => {
  const folder = temporaryFolder(t);
  const asked: string[] = [];
  const server = await serve(t, (request, response) => {
    asked.push(request.url!);
    response.end('content');
  });
  const first = client(folder, [`${server}/`]);
  const answers = await Promise.all([first.fetch('AABBCC', 'debuginfo'), first.fetch('aabbcc', 'debuginfo')]);
  assert.deepEqual(answers, [{ found: true }, { found: true }]);
  assert.deepEqual(await client(folder, [server]).fetch('aabbcc', 'debuginfo'), { found: true });
  assert.deepEqual(asked, ['/buildid/aabbcc/debuginfo']);
  assert.equal(readFileSync(buildIdPath(folder, 'aabbcc', '.debug'), 'utf8'), 'content');
});

test('clients of several workers share one download', async (t) => {
  const folder = temporaryFolder(t);
  let asked = 0;
  const server = await serve(t, (_request, response) => {
    asked++;
    setTimeout(() => response.end('content'), 200);
  });
  const answers = await Promise.all([1, 2, 3].map(() => client(folder, [server]).fetch('aabb', 'executable')));
  assert.deepEqual(answers, [{ found: true }, { found: true }, { found: true }]);
  assert.equal(asked, 1);
});

test('what one server does not have the next is asked for; that none has it is no problem', async (t) => {
  const folder = temporaryFolder(t);
  const empty = await serve(t, (_request, response) => response.writeHead(404).end());
  const full = await serve(t, (_request, response) => response.end('content'));
  assert.deepEqual(await client(folder, [empty]).fetch('aabb', 'executable'), { found: false });
  assert.deepEqual(await client(folder, [empty, full]).fetch('aabb', 'executable'), { found: true });
});

test('a server that refuses, breaks off or is silent is named, and not asked again', async (t) => {
  const cases: readonly { listener: RequestListener; problem: RegExp; timeoutMs: number }[] = [
    { listener: (_request, response) => response.writeHead(503).end(), problem: /: answers 503/, timeoutMs: 60_000 },
    {
      listener: (_request, response) =>
        response.writeHead(200, { 'content-length': 9 }).write('part', () => response.destroy()),
      problem: /./,
      timeoutMs: 60_000,
    },
    { listener: () => {}, problem: /no answer within 100 ms/, timeoutMs: 100 },
    { listener: (_request, response) => response.write('part'), problem: /no answer within 100 ms/, timeoutMs: 100 },
  ];
  for (const { listener, problem, timeoutMs } of cases) {
    const folder = temporaryFolder(t);
    let asked = 0;
    const server = await serve(t, (request, response) => {
      asked++;
      listener(request, response);
    });
    const servers = client(folder, [server], { timeoutMs });
    const first = await servers.fetch('aabb', 'executable');
    const second = await servers.fetch('ccdd', 'executable');
    assert.match(first.problem ?? '', problem);
    assert.equal(second.problem, first.problem);
    assert.deepEqual([first.found, second.found], [false, false]);
    // It may have been given up before it took the connection.
    assert.ok(asked === 1 || timeoutMs === 100, `asked ${asked} times`);
    assert.ok(asked <= 1, `asked ${asked} times`);
    assert.ok(!existsSync(buildIdPath(folder, 'aabb')));
  }
  const gone = await client(temporaryFolder(t), ['http://127.0.0.1:1']).fetch('aabb', 'executable');
  assert.match(gone.problem ?? '', /^http:\/\/127\.0\.0\.1:1: /);
});

test('the folder is bounded: least recently used first; a file larger than all is refused', async (t) => {
  const folder = temporaryFolder(t);
  const server = await serve(t, (request, response) =>
    response.end('x'.repeat(request.url!.includes('ffff') ? 2_000 : 400)),
  );
  const servers = client(folder, [server]);
  for (const [seconds, id] of ['aaaa', 'bbbb'].entries()) {
    await servers.fetch(id, 'executable');
    utimesSync(buildIdPath(folder, id), seconds + 1, seconds + 1);
  }
  await client(folder, [server]).fetch('aaaa', 'executable');
  await servers.fetch('cccc', 'executable');
  assert.deepEqual(
    ['aaaa', 'bbbb', 'cccc'].map((id) => existsSync(buildIdPath(folder, id))),
    [true, false, true],
  );
  const tooLarge = await servers.fetch('ffff', 'executable');
  assert.match(tooLarge.problem ?? '', /larger than the 1000 bytes/);
  assert.deepEqual(await servers.fetch('dddd', 'executable'), { found: true });
});

test('a part that somebody left behind is taken over', async (t) => {
  const folder = temporaryFolder(t);
  const server = await serve(t, (_request, response) => response.end('content'));
  const path = buildIdPath(folder, 'aabb');
  mkdirSync(dirname(path), { recursive: true });
  const part = writeInto(dirname(path), 'bb.part', 'of a process that was killed');
  utimesSync(part, 1, 1);
  assert.deepEqual(await client(folder, [server]).fetch('aabb', 'executable'), { found: true });
  assert.equal(readFileSync(path, 'utf8'), 'content');
});

test('a part that is taken over while it is written costs neither its file', async (t) => {
  const folder = temporaryFolder(t);
  const path = buildIdPath(folder, 'aabb');
  const responses: ServerResponse[] = [];
  const begun = new EventEmitter();
  const server = await serve(t, (_request, response) => {
    response.write(`${responses.push(response)} half, `);
    begun.emit('request');
  });
  const fetched: Promise<unknown>[] = [];
  for (let number = 0; number < 2; number++) {
    const requested = once(begun, 'request');
    fetched.push(client(folder, [server], { timeoutMs: 3_600_000 }).fetch('aabb', 'executable'));
    await requested;
    utimesSync(`${path}.part`, 1, 1);
  }
  for (const [index, response] of responses.entries()) {
    response.end('whole');
    assert.deepEqual(await fetched[index], { found: true });
    assert.equal(readFileSync(path, 'utf8'), `${index + 1} half, whole`);
  }
  assert.deepEqual(readdirSync(dirname(path)), ['bb']);
});

test('parts that were left behind go when they cannot be written any more', async (t) => {
  const folder = temporaryFolder(t);
  const server = await serve(t, (_request, response) => response.end('content'));
  const beside = dirname(buildIdPath(folder, 'aabb'));
  mkdirSync(beside, { recursive: true });
  utimesSync(writeInto(beside, 'bb.1.part', 'of a process that was killed'), 1, 1);
  writeInto(beside, 'bb.2.part', 'of another that is at work');
  assert.deepEqual(await client(folder, [server]).fetch('aacc', 'executable'), { found: true });
  assert.deepEqual(readdirSync(beside).sort(), ['bb.2.part', 'cc']);
});

test('a store finds a mapping’s executable once it was fetched, and refuses one of another build', async (t) => {
  const { bytes } = buildGoBinary({
    functions: [{ name: 'main.main', lines: [[1, 0x100]] }],
    gnuBuildId: 'aabbcc',
  });
  const cache = temporaryFolder(t);
  const before = process.env.XDG_CACHE_HOME;
  process.env.XDG_CACHE_HOME = cache;
  t.after(() => {
    if (before === undefined) delete process.env.XDG_CACHE_HOME;
    else process.env.XDG_CACHE_HOME = before;
  });
  const server = await serve(t, (_request, response) => response.end(bytes));
  const builder = new ProfileBuilder({ sampleTypes: [] });
  builder.addMapping({ filename: '/gone/app', buildId: 'aabbcc' });
  builder.addMapping({ filename: '/gone/other', buildId: 'ddeeff' });
  builder.addMapping({ filename: '/gone/go', buildId: 'a/b/c/d' });
  const profile = builder.finish();
  const store = createBinaryStore();
  store.search({ servers: [server] });
  assert.equal(store.forMapping(profile, 0).binary, undefined);
  assert.deepEqual(await store.fetchMissing(profile, [0, 1, 2]), []);
  assert.equal(store.forMapping(profile, 0).binary?.go?.name(0), 'main.main');
  const other = store.forMapping(profile, 1);
  assert.match(other.binary === undefined ? other.message : '', /has build id aabbcc, \/gone\/other has ddeeff/);
  store.close();
});
