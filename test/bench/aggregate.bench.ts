/**
 * Aggregates: merging alone with one worker and with two, 2,000 profiles as a user runs them, with enough memory and with partials on disk,
 * and what that is beside reading, inflating and deflating the bytes. PROFPIPE_BENCH_PROFILES (100,000) says how many the last line is of.
 */
import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { linkSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { gunzipSync, gzipSync } from 'node:zlib';
import { encodeProfile } from '../../plugins/codecs/pprof/encode.js';
import { buildPeers } from '../helpers/go-peers.js';
import { profileOf } from '../helpers/profiles.js';
import { cacheFolder, copiesOf, makeCorpus } from './corpus.js';
import { median, type ProcessCost, rounds, runProcess } from './measure.js';

const MERGE_ROUNDS = 5;
const MANY = 2_000;
const MOST = Number(process.env.PROFPIPE_BENCH_PROFILES ?? 100_000);

function row(what: string, measured: string, wanted: string): void {
  console.log(`${what.padEnd(66)} ${measured.padStart(22)}   ${wanted}`);
}

/** Milliseconds to merge what `count` workers have decoded: the first takes the partials of the others, and finishes. */
async function mergeMs(paths: readonly string[], count: number): Promise<number> {
  const share = Math.ceil(paths.length / count);
  const workers = Array.from(
    { length: count },
    (_, worker) =>
      new Worker(new URL('./merge-worker.js', import.meta.url), {
        workerData: paths.slice(worker * share, (worker + 1) * share),
      }),
  );
  try {
    await Promise.all(workers.map((worker) => once(worker, 'message')));
    const [first, ...others] = workers;
    const times = await rounds(MERGE_ROUNDS, async () => {
      const finished = once(first!, 'message');
      first!.postMessage(others.length);
      for (const other of others) {
        other.once('message', (partial: readonly Uint8Array[]) =>
          first!.postMessage(
            partial,
            partial.map(({ buffer }) => buffer as ArrayBuffer),
          ),
        );
        other.postMessage('give');
      }
      await finished;
    });
    return median(times);
  } finally {
    await Promise.all(workers.map((worker) => worker.terminate()));
  }
}

function aggregate(folder: string, paths: readonly string[], memory = '512MiB'): Promise<ProcessCost> {
  const pipeline = join(folder, 'bench.yml');
  const stages = [{ aggregate: { memory } }];
  const output = [{ file: { path: join(folder, 'out', 'all.pb.gz') } }];
  writeFileSync(pipeline, JSON.stringify({ name: 'bench', input: { file: { paths } }, stages, output }));
  return runProcess(process.execPath, ['dist/core/cli/bin.js', 'run', pipeline, '--quiet', '--workers', '2']);
}

/** What nobody can do without: the bytes read and inflated, the result deflated. In one thread. */
function bytesMs(paths: readonly string[], result: string): number {
  const start = performance.now();
  for (const path of paths) gunzipSync(readFileSync(path));
  const raw = gunzipSync(readFileSync(result));
  gzipSync(raw, { level: 1 });
  return performance.now() - start;
}

async function merging(peers: string, small: readonly string[]): Promise<void> {
  const theirs = spawnSync(peers, ['merge', `${MERGE_ROUNDS}`, ...small], { encoding: 'utf8', maxBuffer: 2 ** 26 });
  const peerMs = median(JSON.parse(theirs.stdout));
  for (const [workers, wanted] of [
    [1, '≥ 8'],
    [2, '≥ 12'],
  ] as const) {
    const ours = await mergeMs(small, workers);
    const ratio = `${(peerMs / ours).toFixed(1)} ×`;
    row(`merge of ${small.length}, ${workers} of us, ${ours.toFixed(0)} ms: faster than profile.Merge`, ratio, wanted);
  }
}

async function runs(folder: string, small: readonly string[]): Promise<void> {
  const many = copiesOf(small, MANY / small.length, join(folder, 'inputs'));
  const pprof = spawnSync('go', ['tool', '-n', 'pprof'], { encoding: 'utf8' }).stdout.trim();
  const few = await aggregate(folder, small);
  const whole = await aggregate(folder, many);
  const result = join(folder, 'out', 'all.pb.gz');
  const bytes = bytesMs(many, result);
  const whole2 = await aggregate(folder, many);
  const spilled = await aggregate(folder, many, '16MiB');
  const output = `-output=${join(folder, 'peer.pb.gz')}`;
  const peer = await runProcess(pprof, ['-proto', '-symbolize=none', output, ...many]);
  const best = Math.min(whole.ms, whole2.ms);
  const kib = many.reduce((sum, path) => sum + statSync(path).size, 0) / many.length / 1024;
  row(`${MANY} profiles of ${kib.toFixed(0)} KiB`, `${best.toFixed(0)} ms`, '');
  row('  faster than go tool pprof -proto', `${(peer.ms / best).toFixed(1)} ×`, '≥ 8');
  row('  its peak memory is that of pprof', `${(whole.peakMiB / peer.peakMiB).toFixed(2)} ×`, '');
  row('  peak memory', `${whole.peakMiB.toFixed(0)} MiB`, '≤ 512');
  row('  beside reading, inflating and deflating the bytes', `${(best / bytes).toFixed(2)} ×`, '≤ 3');
  row(`  beside ${small.length} of them`, `${(best / few.ms).toFixed(1)} ×`, '≤ 10.5');
  row('  with partials on disk (16 MiB)', `${(spilled.ms / best).toFixed(2)} ×`, '≤ 2');
}

/** Links to a few files, so that there are many inputs on little disk. */
async function most(folder: string): Promise<void> {
  const distinct = await Promise.all(
    Array.from({ length: 100 }, async (_, index) => {
      const lines = Array.from({ length: 40 }, (_, s) => `main;serve;route${s % 9};handle${(s * index) % 37} ${s + 1}`);
      const profile = profileOf(lines.join('\n'), { timeNanos: 1_000 + index });
      const path = join(folder, `${index}.pb.gz`);
      writeFileSync(path, Buffer.concat(await encodeProfile(profile, { compression: 'gzip', level: 1 })));
      return path;
    }),
  );
  for (let index = 0; index < MOST; index++) {
    const into = join(folder, 'many', `${index % 100}`);
    if (index < 100) mkdirSync(into, { recursive: true });
    linkSync(distinct[index % 100]!, join(into, `${index}.pb.gz`));
  }
  const { ms, peakMiB } = await aggregate(folder, [join(folder, 'many', '*', '*.pb.gz')]);
  row(`${MOST} small profiles`, `${(ms / 1000).toFixed(1)} s`, '');
  row('  peak memory', `${peakMiB.toFixed(0)} MiB`, '≤ 300');
}

if (spawnSync('go', ['version']).status !== 0) {
  console.log('NOT RUN: the bench compares with Go programs, and there is no go.');
} else {
  const folder = mkdtempSync(join(tmpdir(), 'profpipe-bench-'));
  try {
    const peers = buildPeers(cacheFolder);
    const { small } = makeCorpus(peers, 'service', console.log);
    console.log(`load ${loadavg()[0]!.toFixed(1)}`);
    await merging(peers, small);
    await runs(folder, small);
    await most(folder);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
