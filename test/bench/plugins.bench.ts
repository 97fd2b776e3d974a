/**
 * What third-party plugins cost: the everyday edits against the loops by hand that they stand for, and runs with a stage that does
 * nothing against runs without it, and in processes against threads. On profiles made here. Ratios: lower is better.
 */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { filterSamples, type Profile, ProfileBuilder, plainProfile, selectRows, stringAt } from '../../core/index.js';
import { encodeProfile } from '../../plugins/codecs/pprof/encode.js';
import { median, runProcess } from './measure.js';

const ROUNDS = 15;
/** Of what takes seconds. */
const SLOW_ROUNDS = 3;
const INPUTS = 200;
/** That makes some 100 KB. */
const INPUT_SAMPLES = 1_650;

/** Stacks of 5 to 30 frames out of 2,000 functions, four values of `tenant` and a unique `request` each. */
function labelledProfile(samples: number, seed = 1): Profile {
  let state = seed;
  const below = (limit: number) => {
    state = (Math.imul(state, 1103515245) + 12345) >>> 0;
    return (state >>> 8) % limit;
  };
  const builder = new ProfileBuilder({ sampleTypes: [{ type: 'cpu', unit: 'nanoseconds' }] });
  const locations = Array.from({ length: 2_000 }, (_, index) =>
    builder.location({
      address: 0x1000 + index * 16,
      lines: [{ function: builder.function({ name: `pkg.function${index}` }), line: index }],
    }),
  );
  for (let sample = 0; sample < samples; sample++) {
    builder.addSample({
      stack: Array.from({ length: 5 + below(26) }, () => locations[below(locations.length)]!),
      values: [10_000_000],
      labels: [
        { key: 'request', str: `r${sample}` },
        { key: 'tenant', str: `tenant${below(4)}` },
      ],
    });
  }
  return builder.finish();
}

/** What an engineer who knows the columns would write. */
function filterByHand(profile: Profile): Profile {
  const { samples, strings } = profile;
  let key = -1;
  let value = -1;
  for (let row = 0; row < strings.length && (key < 0 || value < 0); row++) {
    const text = stringAt(strings, row);
    if (text === 'tenant') key = row;
    if (text === 'tenant1') value = row;
  }
  const kept = new Uint8Array(samples.length);
  for (let sample = 0; sample < samples.length; sample++) {
    const end = samples.labelStart[sample + 1]!;
    for (let label = samples.labelStart[sample]!; label < end; label++) {
      if (samples.labels.key[label] === key && samples.labels.str[label] === value) kept[sample] = 1;
    }
  }
  return selectRows(profile, { samples: kept });
}

/** Medians of rounds in turn, so that both meet the same load. */
function compare(rounds: number, ...runs: readonly (() => unknown)[]): number[] {
  const times = runs.map((): number[] => []);
  for (let round = -rounds; round < rounds; round++) {
    for (const [index, run] of runs.entries()) {
      const start = performance.now();
      run();
      if (round >= 0) times[index]!.push(performance.now() - start);
    }
  }
  return times.map(median);
}

/** Milliseconds of whole runs of pipelines, medians of rounds in turn. */
async function compareRuns(...pipelines: readonly string[]): Promise<number[]> {
  const bin = fileURLToPath(new URL('../../core/cli/bin.js', import.meta.url));
  const times = pipelines.map((): number[] => []);
  for (let round = -1; round < SLOW_ROUNDS; round++) {
    for (const [index, pipeline] of pipelines.entries()) {
      const { ms } = await runProcess(process.execPath, [bin, 'run', pipeline, '--quiet']);
      if (round >= 0) times[index]!.push(ms);
    }
  }
  return times.map(median);
}

const noop = `export default { kind: 'stage', name: 'noop', version: '1.0.0', api: '^1.0.0', summary: 'does nothing',
  schema: { type: 'object', additionalProperties: false }, create: () => ({ process: (profile) => profile }) };
`;

/** Inputs, the stage, and a pipeline for each way to run them. */
async function makeRuns(folder: string): Promise<{ readonly [name in 'plain' | 'threads' | 'processes']: string }> {
  mkdirSync(join(folder, 'in'));
  for (let index = 0; index < INPUTS; index++) {
    const profile = labelledProfile(INPUT_SAMPLES, index + 1);
    const pieces = await encodeProfile(profile, { level: 6, compression: 'gzip' });
    writeFileSync(join(folder, 'in', `${index}.pb.gz`), Buffer.concat(pieces));
  }
  writeFileSync(join(folder, 'noop.mjs'), noop);
  const write = (name: string, ...lines: readonly string[]) => {
    const path = join(folder, `${name}.yml`);
    const ways = ['input: { file: { paths: [in] } }', 'output: [file: { path: "out/{name}.pb.gz" }]'];
    writeFileSync(path, [...ways, ...lines].join('\n'));
    return path;
  };
  const stage = ['plugins: [./noop.mjs]', 'stages: [noop: {}]'];
  return {
    plain: write('plain'),
    threads: write('threads', ...stage),
    processes: write('processes', ...stage, 'isolation: process'),
  };
}

function row(what: string, ours: number, other: number, wanted: string): void {
  const cells = [what.padEnd(44), ours.toFixed(1).padStart(9), other.toFixed(1).padStart(9), 'ms  '];
  console.log(`${cells.join(' ')} ${(ours / other).toFixed(2).padStart(7)}   ${wanted}`);
}

const profile = labelledProfile(100_000);
console.log(
  `plugins by others${' '.repeat(28)}${'helper'.padStart(9)} ${'by hand'.padStart(9)}         ratio   wanted`,
);
const byHelper = () => filterSamples(profile, (sample) => sample.label('tenant') === 'tenant1');
const byLoop = () => filterByHand(profile);
const byObjects = () => plainProfile(profile).samples.filter(({ labels }) => labels.tenant === 'tenant1');
const [helper, byHand] = compare(ROUNDS, byHelper, byLoop) as [number, number];
row('label filter, 100,000 samples', helper, byHand, '≤ 1.2');
// By itself: whoever comes after it pays for its garbage.
row('the same over plain objects, not put back', compare(SLOW_ROUNDS, byObjects)[0]!, byHand, '');

const folder = mkdtempSync(join(tmpdir(), 'profpipe-bench-'));
try {
  const { plain, threads, processes } = await makeRuns(folder);
  const [without, inThreads, inProcesses] = (await compareRuns(plain, threads, processes)) as [number, number, number];
  console.log(`\nruns of ${INPUTS} profiles${' '.repeat(24)}${'one'.padStart(9)} ${'other'.padStart(9)}`);
  row('a stage that does nothing / without it', inThreads, without, '≤ 1.03');
  row('isolation: process / threads', inProcesses, inThreads, '≤ 1.5');
} finally {
  rmSync(folder, { recursive: true });
}
