/** What a stripped program lacks, from a debuginfod server of elfutils. */
import assert from 'node:assert/strict';
import { execFileSync, spawn } from 'node:child_process';
import type { AddressInfo } from 'node:net';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { hasTool } from '../helpers/go-toolchain.js';
import { pipe } from '../helpers/pipe.js';
import { temporaryFolder, writeInto } from '../helpers/temporary.js';

const skip = ['gcc', 'objcopy', 'nm', 'debuginfod'].every(hasTool) ? false : 'NOT RUN: no gcc, binutils or debuginfod';

const PATIENCE_MS = 120_000;

const SOURCE = `volatile int sink;
static inline __attribute__((always_inline)) int inner(int x) { sink = x; return x * 3; }
__attribute__((noinline)) int outer(int x) { return inner(x) + 1; }
int main(int argc, char **argv) { return outer(argc); }
`;

/** A server over a folder, ready when it has indexed the files in it. */
async function serve(t: TestContext, folder: string, buildId: string): Promise<string> {
  for (;;) {
    const url = await tryToServe(t, folder, buildId);
    if (url !== undefined) return url;
  }
}

/** @returns undefined when it has ended: somebody else has taken its port */
async function tryToServe(t: TestContext, folder: string, buildId: string): Promise<string | undefined> {
  const probe = createServer().listen(0, '127.0.0.1');
  await new Promise((resolve) => probe.on('listening', resolve));
  const { port } = probe.address() as AddressInfo;
  await new Promise((resolve) => probe.close(resolve));
  const server = spawn('debuginfod', ['-F', '-d', ':memory:', '-p', `${port}`, folder], { stdio: 'ignore' });
  t.after(() => server.kill());
  const url = `http://127.0.0.1:${port}`;
  const isRunning = () => server.exitCode === null && server.signalCode === null;
  for (const startedMs = performance.now(); isRunning() && performance.now() - startedMs < PATIENCE_MS; ) {
    const found = await fetch(`${url}/buildid/${buildId}/debuginfo`).catch(() => undefined);
    await found?.body?.cancel();
    if (found?.ok) return url;
    await sleep(100);
  }
  if (isRunning()) throw new Error(`debuginfod does not serve the file within ${PATIENCE_MS} ms`);
  return undefined;
}

test('a stripped program gets lines and inlined calls from the server, and from the cache when that is gone', {
  skip,
}, async (t) => {
  const [sources, served] = [temporaryFolder(t), temporaryFolder(t)];
  const source = writeInto(sources, 'program.c', SOURCE);
  const program = join(served, 'program');
  execFileSync('gcc', ['-g', '-O2', '-Wl,--build-id', '-o', program, source]);
  const outer = execFileSync('nm', [program], { encoding: 'utf8' }).match(/^([0-9a-f]+) T outer$/m)![1]!;
  const buildId = execFileSync('readelf', ['-n', program], { encoding: 'utf8' }).match(/Build ID: ([0-9a-f]+)/)![1]!;
  const stripped = join(sources, 'stripped');
  execFileSync('objcopy', ['--strip-all', program, stripped]);
  const url = await serve(t, served, buildId);

  const symbolize = (servers: string) =>
    pipe(['binary', 'symbolize', stripped, outer], {
      env: { DEBUGINFOD_URLS: servers, XDG_CACHE_HOME: join(sources, 'cache') },
    });
  assert.match(pipe(['binary', 'symbolize', stripped, outer], { env: { DEBUGINFOD_URLS: '' } }).stdout, /^\?\?\n/);
  const unreachable = symbolize('http://127.0.0.1:1');
  assert.match(unreachable.stderr, /warning: http:\/\/127\.0\.0\.1:1: /);
  const fetched = symbolize(url);
  assert.equal(fetched.exitCode, 0, fetched.stderr);
  assert.match(fetched.stdout, /^inner\n.*program\.c:2:\d+\nouter\n.*program\.c:3:\d+\n/);
  assert.equal(symbolize('http://127.0.0.1:1').stdout, fetched.stdout);
});
