/** `pipe run` against a real Go program that serves net/http/pprof: all its endpoints, over TLS, while it is down and up again. */
import assert from 'node:assert/strict';
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { type TestContext, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { buildGo, hasTool, noGo } from '../helpers/go-toolchain.js';
import { pipe, root } from '../helpers/pipe.js';
import { temporaryFolder, writeInto } from '../helpers/temporary.js';

const skip = noGo('1.27.2');
const skipTls = hasTool('openssl') ? skip : 'NOT RUN: no openssl on this machine';
const bin = join(root, 'dist', 'core', 'cli', 'bin.js');

/** Starts the server. @returns its address, and what ends it */
async function serve(t: TestContext, args: readonly string[] = [], version = '1.27.2') {
  const architecture = process.arch === 'arm64' ? 'arm64' : 'amd64';
  const source = readFileSync(resolve('test/live/programs/pprof-server.go'), 'utf8');
  const { path } = buildGo({
    version,
    architecture,
    program: { 'go.mod': 'module server\n\ngo 1.17\n', 'main.go': source },
  });
  const server = spawn(path, args, { stdio: ['ignore', 'pipe', 'ignore'] });
  const end = async () => {
    if (server.exitCode !== null || server.signalCode !== null) return;
    const ended = once(server, 'exit');
    server.kill('SIGKILL');
    await ended;
  };
  t.after(end);
  const ended = once(server, 'exit').then(() => Promise.reject(new Error('the server has ended')));
  const [address] = (await Promise.race([once(createInterface({ input: server.stdout }), 'line'), ended])) as [string];
  return { address, end };
}

/** What `go tool pprof` makes of a file. */
const pprof = (...args: string[]): string =>
  execFileSync('go', ['tool', 'pprof', '-symbolize=none', ...args], {
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'ignore'],
  });

const kinds = ['profile?seconds=1', 'heap', 'allocs?seconds=1', 'block', 'mutex', 'goroutine', 'threadcreate'];
const texts = ['heap?debug=1', 'block?debug=1', 'mutex?debug=1', 'goroutine?debug=1', 'goroutine?debug=2'];

for (const [version, endpoints] of [
  ['1.18.10', kinds],
  ['1.27.2', [...kinds, 'goroutineleak']],
] as const) {
  test(`go${version}: every endpoint once, binary and text, with the target's labels`, {
    skip: noGo(version),
  }, async (t) => {
    const { address } = await serve(t, [], version);
    const folder = temporaryFolder(t);
    const pipeline = (asked: readonly string[], out: string) =>
      writeInto(
        folder,
        `${out}.yml`,
        `name: once
input:
  http:
    targets: [{ url: "http://${address}", labels: { service: api/x, zone: "1" } }]
    endpoints: ${JSON.stringify(asked)}
    count: 1
output:
  - file: { path: "${folder}/${out}/{label:service}/{name}.pb.gz" }
`,
      );
    for (const [asked, out] of [
      [endpoints, 'binary'],
      [texts, 'text'],
    ] as const) {
      const { exitCode, stderr } = pipe(['run', pipeline(asked, out)]);
      assert.equal(exitCode, 0, stderr);
      const [label = ''] = readdirSync(join(folder, out));
      assert.ok(!label.includes('/'));
      const files = readdirSync(join(folder, out, label)).map((name) => join(folder, out, label, name));
      assert.equal(files.length, asked.length);
      for (const file of files) {
        // A difference, or what waits for ever, may come to nothing.
        if (!/goroutineleak|allocs/.test(file))
          assert.match(pprof('-tags', file), /service: Total .*\s+.*100%\): api\/x/);
        if (/heap|mutex|-profile-/.test(file)) assert.match(pprof('-top', '-nodefraction=0', file), /main\.work/, file);
      }
    }
  });
}

/** Starts `pipe run collect.yml`. */
function collect(
  t: TestContext,
  address: string,
  out: string,
): { child: ChildProcess; ended: Promise<unknown[]>; said: () => string } {
  const sets = [`target=http://${address}`, 'every=300ms', 'seconds=1', 'window=2s', `out=${out}`, 'service=api'];
  const child = spawn(process.execPath, [bin, 'run', 'collect.yml', ...sets.flatMap((set) => ['--set', set])]);
  t.after(() => child.kill('SIGKILL'));
  let said = '';
  child.stderr.on('data', (text) => {
    said += text;
  });
  return { child, ended: once(child, 'close'), said: () => said };
}

async function until(isSo: () => boolean): Promise<void> {
  for (const startedMs = performance.now(); !isSo(); await sleep(20)) {
    assert.ok(performance.now() - startedMs < 300_000, 'not so after five minutes');
  }
}

/** Breaks off what comes to an address that nobody serves, until something came. */
async function refuse(address: string): Promise<void> {
  const [host, port] = address.split(':') as [string, string];
  const server = createServer((socket) => socket.destroy()).listen(Number(port), host);
  await once(server, 'connection');
  await new Promise((closed) => server.close(closed));
}

test('collect.yml goes on while the target is down, and SIGTERM ends it with 0 and whole files', {
  skip,
}, async (t) => {
  const first = await serve(t);
  const out = temporaryFolder(t);
  /** As `WINDOW/PROFILE`, without those that are being written. */
  const files = () =>
    existsSync(join(out, 'api'))
      ? readdirSync(join(out, 'api'), { recursive: true, encoding: 'utf8' }).filter((file) => /\/[^.]/.test(file))
      : [];
  const endpoints = () => new Set(files().map((file) => file.split('-')[2]!.replace('.pb.gz', '')));
  const { child, ended, said } = collect(t, first.address, out);
  await until(() => files().length >= 10);
  await first.end();
  const before = files().length;
  await sleep(1_000);
  await refuse(first.address);
  await serve(t, ['', '', first.address]);
  await until(() => files().length >= before + 10 && endpoints().size === 6);
  child.kill('SIGTERM');
  assert.deepEqual(await ended, [0, null], said());
  assert.match(said(), /scrape_failed: .*(?:ECONNREFUSED|ECONNRESET|socket hang up|broke off)/);
  assert.equal(existsSync(join(out, 'dead-letter')), false);
  for (const file of files()) {
    assert.match(
      file,
      /^\d{8}T\d{6}Z\/127\.0\.0\.1-\d+-(?:(?:profile|allocs|block|mutex)|(?:heap|goroutine)-\d{8}T\d{6}\.\d{3}Z)\.pb\.gz$/,
    );
    assert.match(pprof('-top', join(out, 'api', file)), /Showing nodes|Total/);
  }
  assert.equal(endpoints().size, 6);
});

test('https: a certificate that is trusted is taken, another only with insecure', { skip: skipTls }, async (t) => {
  const folder = temporaryFolder(t);
  const [cert, key] = [join(folder, 'cert.pem'), join(folder, 'key.pem')];
  const subject = ['-subj', '/CN=localhost', '-addext', 'subjectAltName=IP:127.0.0.1'];
  execFileSync(
    'openssl',
    ['req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-days', '2', '-keyout', key, '-out', cert, ...subject],
    {
      stdio: 'ignore',
    },
  );
  const { address } = await serve(t, [cert, key]);
  const run = (tls: string, name: string) =>
    pipe([
      'run',
      writeInto(
        folder,
        `${name}.yml`,
        `name: tls
input: { http: { targets: ["https://${address}/debug/pprof/heap"], count: 1, tls: ${tls} } }
output: [{ file: { path: "${folder}/${name}.pb.gz" } }]
dead_letter: ${folder}/${name}-dead
`,
      ),
    ]);
  assert.equal(run(`{ ca: ${cert} }`, 'trusted').exitCode, 0);
  const strange = run('{}', 'strange');
  assert.equal(strange.exitCode, 20);
  assert.match(strange.stderr, /E_SCRAPE.*self-signed certificate/);
  const insecure = run('{ insecure: true }', 'insecure');
  assert.equal(insecure.exitCode, 0);
  assert.match(insecure.stderr, /tls_insecure/);
  assert.deepEqual(
    readdirSync(folder)
      .filter((name) => name.endsWith('.gz'))
      .sort(),
    ['insecure.pb.gz', 'trusted.pb.gz'],
  );
});
