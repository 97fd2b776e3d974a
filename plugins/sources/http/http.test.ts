import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type TestContext, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';
import { defaultLimits, type Source } from '../../../core/index.js';
import type { HttpSourceOptions } from '../../../schemas/gen/options/http-source.js';
import { httpSource } from './index.js';
import { compileProxy } from './proxy.js';
import { Schedule } from './schedule.js';
import { jobsOf, targetProblems } from './targets.js';

const defaults: HttpSourceOptions = {
  targets: ['http://127.0.0.1:1/'],
  endpoints: [],
  every: '20ms',
  jitter: '0s',
  timeout: '60s',
  concurrency: 4,
  max_bytes: 1_000_000,
  headers: {},
  proxy: 'environment',
  tls: { insecure: false },
};

async function serve(t: TestContext, listener: RequestListener): Promise<{ server: Server; base: string }> {
  const server = createServer(listener).listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.after(() => server.close().closeAllConnections());
  return { server, base: `http://127.0.0.1:${(server.address() as AddressInfo).port}` };
}

async function open(t: TestContext, options: Partial<HttpSourceOptions>): Promise<Source> {
  const readFile = (path: string) => Buffer.from(path);
  const source = await httpSource.create({ ...defaults, ...options }, { limits: defaultLimits, readFile } as never);
  t.after(() => source.close?.());
  return source;
}

/** Items as texts: `name bytes {labels}`, or `name: error`; times in names are `T`. */
async function items(source: Source, most = Number.POSITIVE_INFINITY): Promise<string[]> {
  const texts: string[] = [];
  for await (const item of source.items()) {
    const name = item.name.replace(/\d{8}T\d{6}\.\d{3}Z$/, 'T').replace(/^127\.0\.0\.1-\d+/, 'H');
    if ('error' in item) texts.push(`${name}: ${item.error.message}`);
    else {
      const { labels = {}, data } = item;
      const text = 'bytes' in data ? Buffer.from(data.bytes).toString() : '';
      texts.push(`${name} ${text} ${JSON.stringify(labels)}`);
    }
    if (texts.length === most) break;
  }
  return texts;
}

test('each endpoint of each target is asked once, with the headers; labels come along', async (t) => {
  const asked: string[] = [];
  const { base } = await serve(t, (request, response) => {
    asked.push(`${request.url} ${request.headers.authorization}`);
    response.end(`answer of ${request.url}`);
  });
  const source = await open(t, {
    targets: [{ url: `${base}/app/`, labels: { service: 'api' } }],
    endpoints: ['heap', 'allocs?seconds=0&gc=1'],
    headers: { authorization: 'Bearer x' },
    count: 1,
  });
  assert.equal(source.isEndless, false);
  assert.equal(source.count, 2);
  assert.deepEqual((await items(source)).sort(), [
    'H-app-allocs-T answer of /app/debug/pprof/allocs?seconds=0&gc=1 {"service":"api"}',
    'H-app-heap-T answer of /app/debug/pprof/heap {"service":"api"}',
  ]);
  assert.deepEqual(asked.sort(), ['/app/debug/pprof/allocs?seconds=0&gc=1 Bearer x', '/app/debug/pprof/heap Bearer x']);
  assert.equal(source.facts?.().counters.scrapes, 2);
});

test('what is no whole, good answer is an error of its own when each is asked a number of times', async (t) => {
  const { base } = await serve(t, (request, response) => {
    const answers: { readonly [path: string]: () => unknown } = {
      '/gzip': () => response.setHeader('content-encoding', 'gzip').end(gzipSync('unpacked')),
      '/bomb': () => response.setHeader('content-encoding', 'gzip').end(gzipSync(Buffer.alloc(200_000))),
      '/odd': () => response.setHeader('content-encoding', 'br').end('x'),
      '/large': () => response.end(Buffer.alloc(2_000)),
      '/cut': () => response.writeHead(200, { 'content-length': '10' }).write('half', () => response.destroy()),
      '/gone': () => response.writeHead(404).end('no such profile\n'),
      '/moved': () => response.writeHead(302, { location: '/gzip' }).end(),
    };
    answers[request.url!]!();
  });
  const paths = ['gzip', 'bomb', 'odd', 'large', 'cut', 'gone', 'moved'];
  const source = await open(t, {
    targets: paths.map((path) => `${base}/${path}`) as [string, ...string[]],
    count: 1,
    max_bytes: 1_000,
  });
  const texts = (await items(source)).sort();
  assert.match(texts.shift()!, /^H-bomb-T: too large/);
  assert.deepEqual(texts, [
    'H-cut-T: the answer broke off',
    'H-gone-T: status 404 Not Found: "no such profile"',
    'H-gzip-T unpacked {}',
    'H-large-T: the answer is larger than max_bytes, 1000',
    'H-moved-T unpacked {}',
    'H-odd-T: content-encoding "br" was not asked for',
  ]);
});

test('an answer that does not come to its end is an error in time', async (t) => {
  const { base } = await serve(t, (_, response) => response.write('half'));
  const source = await open(t, { targets: [base], count: 1, timeout: '150ms' });
  assert.deepEqual(await items(source), ['H-T: no whole answer within 150 ms']);
});

test('a target that is down is counted and asked again; the source ends when it is closed', async (t) => {
  let asked = 0;
  const { base } = await serve(t, (_, response) => {
    if (++asked > 2) response.end('up');
    else response.destroy();
  });
  const source = await open(t, { targets: [base] });
  assert.equal(source.isEndless, true);
  assert.deepEqual(await items(source, 2), ['H-T up {}', 'H-T up {}']);
  const { counters, warnings } = source.facts!();
  assert.equal(counters.scrapes_failed, 2);
  assert.equal(warnings[0]?.code, 'scrape_failed');
  assert.equal(warnings[0]?.times, counters.scrapes_failed);
  const pending = items(source);
  await source.close?.();
  assert.deepEqual(await pending, []);
});

test('answers that nobody takes hold the source back, and times that pass meanwhile are counted', async (t) => {
  let asked = 0;
  const { base } = await serve(t, async (_, response) => {
    asked++;
    // As many as may be asked at once have to be.
    while (asked < 3) await sleep(1);
    response.end('x');
  });
  const targets = Array.from({ length: 12 }, (_, index) => `${base}/${index}`) as [string, ...string[]];
  const source = await open(t, { targets, concurrency: 3 });
  const iterator = source.items()[Symbol.asyncIterator]();
  await iterator.next();
  await sleep(150);
  assert.ok(asked <= 4, `${asked} asked`);
  await iterator.next();
  for (let round = 0; round < 12; round++) await iterator.next();
  assert.ok((source.facts!().counters.scrapes_missed ?? 0) > 0);
});

test('the pace is kept, and a job that fails waits longer each time', () => {
  const schedule = new Schedule(['a', 'b'], { everyMs: 100, jitterMs: 0, count: undefined }, 0);
  assert.equal(schedule.take(0), 'a');
  assert.equal(schedule.take(0), 'b');
  assert.equal(schedule.take(0), undefined);
  assert.equal(schedule.nextMs, undefined);
  schedule.done('a', true, 30);
  schedule.done('b', false, 30);
  assert.equal(schedule.nextMs, 100);
  assert.deepEqual([schedule.take(100), schedule.take(100)].sort(), ['a', 'b']);
  schedule.done('a', true, 350);
  // Due since 200, so that those of 200 and 300 are one.
  assert.equal(schedule.take(350), 'a');
  assert.equal(schedule.missed, 1);
  schedule.done('b', false, 350);
  assert.equal(schedule.nextMs, 550);
  assert.equal(schedule.take(550), 'b');
  schedule.done('b', false, 560);
  assert.equal(schedule.nextMs, 960);
});

test('names of jobs are told apart, users and passwords are not shown', () => {
  const jobs = jobsOf({
    ...defaults,
    targets: ['http://me:secret@api-1:6060', 'http://api-1:6060/x?y=1', 'http://api-1:6060/x?y=2'],
  });
  assert.deepEqual(
    jobs.map(({ name, uri }) => `${name} ${uri}`),
    ['api-1-6060 http://api-1:6060/', 'api-1-6060-x http://api-1:6060/x?y=1', 'api-1-6060-x-2 http://api-1:6060/x?y=2'],
  );
  const seconds = jobsOf({ ...defaults, endpoints: ['profile', 'profile?seconds=5', 'heap?seconds=2', 'heap'] });
  assert.deepEqual(
    seconds.map((job) => job.seconds),
    [30, 5, 2, 0],
  );
  const problems = targetProblems({
    ...defaults,
    targets: ['http://[', { url: 'http://a b' }],
    tls: { insecure: false, key: 'k' },
  });
  assert.deepEqual(
    problems.map(({ path }) => path.join('.')),
    ['targets.0', 'targets.1.url', 'tls'],
  );
});

test('redirects are followed, with the headers only to where they belong', async (t) => {
  const seen: string[] = [];
  const other = await serve(t, (request, response) => {
    seen.push(`other ${request.url} ${request.headers.authorization}`);
    response.end('there');
  });
  const { base } = await serve(t, (request, response) => {
    seen.push(`${request.url} ${request.headers.authorization}`);
    const [, status, to] = /^\/(\d+)(\/.*)$/.exec(request.url ?? '') ?? [];
    if (request.url === '/away') response.writeHead(302, { location: `${other.base}/x` }).end('moved');
    else if (request.url === '/loop') response.writeHead(307, { location: '/loop' }).end();
    else if (request.url === '/strange') response.writeHead(301, { location: 'file:///etc/passwd' }).end();
    else if (request.url === '/nowhere') response.writeHead(304).end();
    else if (status === undefined) response.end('here');
    else response.writeHead(Number(status), { location: to }).end();
  });
  const targets = ['301/302/303/307/308/end', 'away', 'loop', 'strange', 'nowhere'].map((path) => `${base}/${path}`);
  const source = await open(t, {
    targets: targets as [string],
    count: 1,
    headers: { Authorization: 'secret' },
    concurrency: 1,
  });
  const answers = (await items(source)).map((text) => text.replace(base, 'BASE'));
  assert.deepEqual(answers.sort(), [
    'H-301-302-303-307-308-end-T here {}',
    'H-away-T there {}',
    'H-loop-T: more than 5 redirects, the last to BASE/loop',
    'H-nowhere-T: status 304 Not Modified',
    'H-strange-T: redirect to "file:///etc/passwd"',
  ]);
  assert.ok(seen.includes('/end secret'));
  assert.ok(seen.includes('other /x undefined'));
});

test('a target is asked through the proxy that is named, whole URL, with credentials where they belong', async (t) => {
  const seen: string[] = [];
  const proxy = await serve(t, (request, response) => {
    const { authorization, host } = request.headers;
    seen.push(`${request.url} ${host} ${authorization} ${request.headers['proxy-authorization']}`);
    if (request.url?.includes('/moved')) response.writeHead(302, { location: '/y' }).end();
    else response.end('by proxy');
  });
  const targets: [string, string] = ['http://user:p%40ss@target.test:6060/x?seconds=0', 'http://target.test/moved'];
  const named = proxy.base.replace('//', '//me:pw@');
  const answers = await items(await open(t, { targets, count: 1, proxy: named, concurrency: 1 }));
  assert.deepEqual(answers.sort(), ['target.test-6060-x-T by proxy {}', 'target.test-moved-T by proxy {}']);
  const mine = `Basic ${Buffer.from('me:pw').toString('base64')}`;
  assert.deepEqual(seen.sort(), [
    `http://target.test/moved target.test undefined ${mine}`,
    `http://target.test/y target.test undefined ${mine}`,
    `http://target.test:6060/x?seconds=0 target.test:6060 Basic ${Buffer.from('user:p@ss').toString('base64')} ${mine}`,
  ]);
  // This machine is asked directly.
  const { base } = await serve(t, (_, response) => response.end('directly'));
  assert.deepEqual(await items(await open(t, { targets: [`${base}/a`], count: 1, proxy: proxy.base })), [
    'H-a-T directly {}',
  ]);
});

test('a proxy that does not connect is an error that names it', async (t) => {
  const { server, base } = await serve(t, (_, response) => response.end());
  server.on('connect', (_, socket) => socket.end('HTTP/1.1 407 Proxy Authentication Required\r\n\r\n'));
  const [text = ''] = await items(await open(t, { targets: ['https://target.test/a'], count: 1, proxy: base }));
  assert.equal(text, `target.test-a-T: proxy ${base.slice(7)}: status 407 Proxy Authentication Required`);
  await assert.rejects(async () => compileProxy('environment', { http_proxy: 'socks5://x' }), {
    code: 'bad-proxy',
    message: 'HTTP_PROXY is no URL of an http or https proxy',
  });
});
