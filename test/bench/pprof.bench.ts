/**
 * The pprof codec, merging and the whole run, as ratios to their peers on the same files in the same run: google/pprof's package (in Go),
 * `go tool pprof`, and zlib. Ratios are peer ÷ profpipe (higher is better) unless said otherwise. Medians of wall time: on a busy
 * machine they mean little.
 */

import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { cpus, loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync, gzipSync } from 'node:zlib';
import {
  addProfile,
  Budget,
  defaultLimits,
  finishMerge,
  type ItemContext,
  MergeState,
  openInput,
  type Profile,
} from '../../core/index.js';
import { testItem } from '../../core/testing/context.js';
import { decodeProfile } from '../../plugins/codecs/pprof/decode.js';
import { encodeProfile } from '../../plugins/codecs/pprof/encode.js';
import { buildPeers } from '../helpers/go-peers.js';
import { type BenchCorpus, cacheFolder, copiesOf, makeCorpus } from './corpus.js';
import { median, rounds, runProcess } from './measure.js';

const ROUNDS = 45;
const context: ItemContext = {
  item: testItem(0),
  limits: defaultLimits,
  signal: new AbortController().signal,
  count: () => {},
  warn: () => {},
};
const decode = (bytes: Uint8Array) => decodeProfile(openInput(bytes, new Budget()), context);

function row(what: string, ours: number, peer: number, unit: string, wanted: string): void {
  const ratio = peer / ours;
  const cells = [what.padEnd(44), ours.toFixed(1).padStart(9), peer.toFixed(1).padStart(9), unit.padEnd(4)];
  console.log(`${cells.join(' ')} ${ratio.toFixed(2).padStart(7)}   ${wanted}`);
}

function goTimes(peers: string, ...args: string[]): number {
  const run = spawnSync(peers, args, { encoding: 'utf8', maxBuffer: 2 ** 26 });
  if (run.status !== 0) throw new Error(`peers ${args[0]}: ${run.error?.message ?? run.stderr}`);
  return median(JSON.parse(run.stdout));
}

function merge(profiles: readonly Profile[], digests: readonly Uint8Array[]): Profile {
  const state = new MergeState();
  for (const [i, profile] of profiles.entries()) addProfile(state, profile, { uri: 'p', digest: digests[i]! });
  return finishMerge(state).profile;
}

async function steps(peers: string, { large, small }: BenchCorpus): Promise<void> {
  const zipped = readFileSync(large);
  const raw = gunzipSync(zipped);
  const profile = await decode(zipped);
  const millions = (raw.length / 1e6).toFixed(1);
  console.log(`one profile: ${profile.samples.length} samples, ${profile.locations.length} locations, ${millions} MB`);
  const time = async (run: () => unknown) => median(await rounds(ROUNDS, run));
  row('decode', await time(() => decode(raw)), goTimes(peers, 'parse-uncompressed', large, `${ROUNDS}`), 'ms', '≥ 6');
  row(
    'inflate and decode',
    await time(() => decode(zipped)),
    goTimes(peers, 'parse', large, `${ROUNDS}`),
    'ms',
    '≥ 3.5',
  );
  for (const level of [1, 6]) {
    const zlib = await time(() => gzipSync(raw, { level }));
    const ours = await time(() => encodeProfile(profile, { compression: 'gzip', level }));
    row(`encode, gzip -${level} (peer: zlib alone)`, ours, zlib, 'ms', '≥ 0.77 (1 / 1.3)');
  }
  row(
    'encode, gzip -6 (peer: Write)',
    await time(() => encodeProfile(profile, { compression: 'gzip', level: 6 })),
    goTimes(peers, 'write', large, `${ROUNDS}`),
    'ms',
    '',
  );
  for (const paths of [[large, large], small]) {
    const profiles = await Promise.all(paths.map((path) => decode(readFileSync(path))));
    const digests = paths.map((path, i) => createHash('sha256').update(`${path} ${i}`).digest());
    const few = paths.length > 2 ? 3 : ROUNDS;
    const ours = median(await rounds(few, () => merge(profiles, digests)));
    row(`merge of ${paths.length}`, ours, goTimes(peers, 'merge', `${few}`, ...paths), 'ms', '≥ 6');
  }
}

/** Whole processes: the way that users go. */
async function runs(small: readonly string[]): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'profpipe-bench-'));
  try {
    const pprof = spawnSync('go', ['tool', '-n', 'pprof'], { encoding: 'utf8' }).stdout.trim();
    const pipeline = (paths: readonly string[], name: string) => {
      const file = join(folder, `${name}.yml`);
      const input = { file: { paths } };
      const output = [{ file: { path: join(folder, `${name}.pb.gz`) } }];
      writeFileSync(file, JSON.stringify({ name, input, stages: [{ aggregate: {} }], output }));
      return ['dist/core/cli/bin.js', 'run', file, '--quiet', '--workers', '2'];
    };
    const many = copiesOf(small, 10, join(folder, 'inputs'));
    const costs = { ours: [] as number[], peer: [] as number[], oursMiB: 0, peerMiB: 0 };
    const ours = pipeline(small, 'few');
    for (let round = 0; round < 5; round++) {
      const mine = await runProcess(process.execPath, ours);
      const theirs = await runProcess(pprof, [
        '-proto',
        '-symbolize=none',
        `-output=${join(folder, 'peer.pb.gz')}`,
        ...small,
      ]);
      costs.ours.push(mine.ms);
      costs.peer.push(theirs.ms);
      costs.oursMiB = Math.max(costs.oursMiB, mine.peakMiB);
      costs.peerMiB = Math.max(costs.peerMiB, theirs.peakMiB);
    }
    row('pipe run of 200 (peer: go tool pprof -proto)', median(costs.ours), median(costs.peer), 'ms', '≥ 5 (wish 8)');
    row('its peak memory', costs.oursMiB, costs.peerMiB, 'MiB', '≥ 3');
    const larger = await runProcess(process.execPath, pipeline(many, 'many'));
    row('its peak memory: 2,000 inputs (peer: 200)', larger.peakMiB, costs.oursMiB, 'MiB', '≥ 0.77 (1 / 1.3)');
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function startUp(): Promise<void> {
  const version = median(await rounds(5, () => runProcess(process.execPath, ['dist/core/cli/bin.js', '--version'])));
  const node = median(await rounds(5, () => runProcess(process.execPath, ['-e', '0'])));
  row('pipe --version (peer: node -e 0)', version, node, 'ms', '≥ 0.33 (1 / 3)');
}

if (spawnSync('go', ['version']).status !== 0) {
  console.log('NOT RUN: the bench compares with Go programs, and there is no go.');
} else {
  const peers = buildPeers(cacheFolder);
  const service = makeCorpus(peers, 'service', console.log);
  const allocations = makeCorpus(peers, 'allocations', console.log);
  const load = loadavg().map((average) => average.toFixed(1));
  console.log(`Node ${process.version}, ${cpus().length} × ${cpus()[0]?.model ?? 'processor'}, load ${load.join(' ')}`);
  console.log(`${''.padEnd(44)} ${'profpipe'.padStart(9)} ${'peer'.padStart(9)}         ratio   wanted`);
  for (const [kind, corpus] of [
    ['CPU profiles of a service', service],
    ['allocation profiles: deep stacks, few locations', allocations],
  ] as const) {
    console.log(`\n${kind}`);
    await steps(peers, corpus);
    await runs(corpus.small);
  }
  console.log();
  await startUp();
}
