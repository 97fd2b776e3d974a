/**
 * `pipe run perf.yml` as a whole process beside `perf script`, on the same recording: unwinding, symbols, inlined calls, three outputs.
 * A recording of some hundred samples is repeated, later each time, until there are enough, and until there are so many that starting does
 * not count. Beside each figure stands what is wanted; of memory, 512 MiB.
 */
import { execFileSync } from 'node:child_process';
import { closeSync, mkdtempSync, openSync, rmSync, statSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { hasTool } from '../helpers/go-toolchain.js';
import { canRecord, recordPiped } from '../helpers/perf-tool.js';
import { root } from '../helpers/pipe.js';
import { median, runProcess } from './measure.js';

const ROUNDS = 3;
const SAMPLES = 20_000;
/** So many that starting does not count; with 8 KiB of stack each they are a gigabyte. */
const MANY_SAMPLES = { 'dwarf,8192': 125_000, fp: 1_000_000 } as const;
/** Stacks of six and of nine frames. */
const programs = [
  { source: 'perf/processes.c', flags: ['-pthread'], args: [] },
  { source: 'unwind/chains.c', flags: ['-fno-omit-frame-pointer'], args: ['300'] },
] as const;
const HEADER_BYTES = 16;
const RecordType = { sample: 9, finishedRound: 68 } as const;
/** What samply's import does, with symbols, on two processors: the wish. */
const WISHED_PER_SECOND = 33_000;
/** Of one event: IP, PID and TID, TIME. */
const TIME_IN_SAMPLE = 24;

/** @returns samples written */
function repeat(recording: Buffer, path: string, wanted: number): number {
  const others: Buffer[] = [recording.subarray(0, HEADER_BYTES)];
  const samples: Buffer[] = [];
  for (let at = HEADER_BYTES; at < recording.length; at += recording.readUInt16LE(at + 6)) {
    const record = recording.subarray(at, at + recording.readUInt16LE(at + 6));
    const type = record.readUInt32LE(0);
    if (type === RecordType.sample) samples.push(record);
    else if (type !== RecordType.finishedRound) others.push(record);
  }
  const timeOf = (sample: Buffer) => sample.readBigUInt64LE(TIME_IN_SAMPLE);
  samples.sort((a, b) => Number(timeOf(a) - timeOf(b)));
  const turn = timeOf(samples.at(-1)!) - timeOf(samples[0]!) + 1000n;
  const round = Buffer.from([RecordType.finishedRound, 0, 0, 0, 0, 0, 8, 0]);
  const file = openSync(path, 'w');
  writeSync(file, Buffer.concat(others));
  let written = 0;
  for (; written < wanted; written += samples.length) {
    writeSync(file, Buffer.concat([...samples, round]));
    for (const sample of samples) sample.writeBigUInt64LE(timeOf(sample) + turn, TIME_IN_SAMPLE);
  }
  closeSync(file);
  return written;
}

/** What a call took, in ms, and its peak of memory. */
interface Contender {
  readonly name: string;
  readonly call: readonly string[];
  /** How many times our time it should take at least. */
  readonly wanted?: number;
}

const ownCall = (recording: string, folder: string): string[] => {
  const bin = join(root, 'dist/core/cli/bin.js');
  const out = join(folder, 'out');
  return [process.execPath, bin, 'run', 'perf.yml', '--quiet', '--set', `profile=${recording}`, '--set', `out=${out}`];
};

async function compare(path: string, samples: number, folder: string): Promise<void> {
  const contenders: readonly Contender[] = [
    { name: 'profpipe', call: ownCall(path, folder) },
    { name: 'perf script --no-inline', call: ['perf', 'script', '--no-inline', '-i', path], wanted: 2 },
    { name: 'perf script', call: ['perf', 'script', '-i', path], wanted: 5 },
  ];
  const costs = contenders.map(() => ({ ms: [] as number[], peakMiB: 0 }));
  for (let turn = 0; turn < ROUNDS; turn++) {
    for (const [index, { call }] of contenders.entries()) {
      const [command, ...args] = call;
      const { ms, peakMiB } = await runProcess(command!, args);
      costs[index]!.ms.push(ms);
      costs[index]!.peakMiB = Math.max(costs[index]!.peakMiB, peakMiB);
    }
  }
  const own = median(costs[0]!.ms);
  for (const [index, { name, wanted }] of contenders.entries()) {
    const ms = median(costs[index]!.ms);
    const goal =
      wanted === undefined
        ? ` (wish ${WISHED_PER_SECOND} samples/s)`
        : `, ${(ms / own).toFixed(2)} times ours (wanted ${wanted})`;
    const rate = Math.round((1000 * samples) / ms);
    console.log(`${name}: ${ms.toFixed(0)} ms, ${rate} samples/s, ${costs[index]!.peakMiB.toFixed(0)} MiB${goal}`);
  }
}

async function main(): Promise<void> {
  if (!(hasTool('perf') && hasTool('gcc') && canRecord())) {
    console.log('perf: NOT RUN: no gcc, or no perf that may record, on this machine');
    return;
  }
  const folder = mkdtempSync(join(tmpdir(), 'profpipe-bench-'));
  try {
    const path = join(folder, 'perf.data');
    const size = () => `${(statSync(path).size / 1e6).toFixed(0)} MB`;
    const compiled = ({ source, flags }: (typeof programs)[number]): string => {
      const program = join(folder, basename(source, '.c'));
      execFileSync('gcc', ['-O2', '-g', ...flags, '-o', program, join(root, 'test/live/programs', source)]);
      return program;
    };
    for (const used of programs) {
      const program = compiled(used);
      for (const callGraph of ['dwarf,8192', 'fp'] as const) {
        const options = ['-e', 'cpu-clock', '-F', '1000', '--call-graph', callGraph];
        const recording = recordPiped(options, [program, ...used.args]);
        const isFirst = used === programs[0];
        for (const wanted of isFirst ? [SAMPLES, MANY_SAMPLES[callGraph]] : [SAMPLES]) {
          const samples = repeat(recording, path, wanted);
          console.log(`\n${used.source}, --call-graph ${callGraph}: ${samples} samples, ${size()}`);
          await compare(path, samples, folder);
        }
        if (!isFirst || callGraph === 'fp') continue;
        const [command, ...args] = ownCall('-', folder);
        const { ms, peakMiB } = await runProcess(command!, args, path);
        console.log(`profpipe, from a pipe: ${ms.toFixed(0)} ms, ${peakMiB.toFixed(0)} MiB (limit 512)`);
      }
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

await main();
