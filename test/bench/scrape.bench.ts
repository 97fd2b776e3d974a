/**
 * What scraping costs: 200 targets on this machine, a heap profile of each every 10 s, decoded and written. CPU time of the whole process
 * from the first round to the last, as a share of one core.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

const TARGETS = 200;
const EVERY_S = 10;
const ROUNDS = 6;
const LIMIT = 0.2;

/** The answer of every target. */
const profile = readFileSync('pipelines/samples/cpu.pb.gz');

/** CPU seconds of a process so far, from /proc. */
function cpuSeconds(pid: number): number {
  const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return (Number(fields[11]) + Number(fields[12])) / 100;
}

if (process.platform !== 'linux') {
  console.log('NOT RUN: CPU time is read from /proc.');
} else {
  const folder = mkdtempSync(join(tmpdir(), 'profpipe-bench-'));
  const server = createServer((_, response) => response.end(profile)).listen(0, '127.0.0.1');
  try {
    await once(server, 'listening');
    const base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const targets = Array.from({ length: TARGETS }, (_, index) => ({
      url: `${base}/${index}`,
      labels: { target: `${index}` },
    }));
    const pipeline = join(folder, 'scrape.yml');
    const input = { http: { targets, every: `${EVERY_S}s`, jitter: `${EVERY_S}s` } };
    const output = [{ file: { path: join(folder, 'out', '{name}.pb.gz') } }];
    writeFileSync(pipeline, JSON.stringify({ name: 'scrape', input, output }));
    const child = spawn(process.execPath, ['dist/core/cli/bin.js', 'run', pipeline, '--quiet'], { stdio: 'inherit' });
    const ended = once(child, 'exit');
    // The first round compiles the code.
    await sleep(EVERY_S * 1_000);
    const before = cpuSeconds(child.pid!);
    await sleep(ROUNDS * EVERY_S * 1_000);
    const share = (cpuSeconds(child.pid!) - before) / (ROUNDS * EVERY_S);
    child.kill('SIGTERM');
    await ended;
    const written = readdirSync(join(folder, 'out')).length;
    console.log(
      `scrape: ${TARGETS} targets every ${EVERY_S} s, ${written} profiles of ${profile.length} bytes written`,
    );
    console.log(`scrape: share of one core ${(share * 100).toFixed(1)} %   limit ${LIMIT * 100} %`);
  } finally {
    server.close().closeAllConnections();
    rmSync(folder, { recursive: true, force: true });
  }
}
