/**
 * `pipe run perf.yml` as a whole process beside `perf script`, on the same recording: unwinding, symbols, inlined calls, three outputs.
 * A recording of some hundred samples is repeated, later each time, until there are enough.
 */
import { execFileSync } from 'node:child_process';
import { closeSync, mkdtempSync, openSync, rmSync, statSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { hasTool } from '../helpers/go-toolchain.js';
import { canRecord, recordPiped } from '../helpers/perf-tool.js';
import { root } from '../helpers/pipe.js';
import { median, runProcess } from './measure.js';

const ROUNDS = 3;
const SAMPLES = 20_000;
const HEADER_BYTES = 16;
const RecordType = { sample: 9, finishedRound: 68 } as const;
/** Of one event: IP, PID and TID, TIME. */
const TIME_IN_SAMPLE = 24;

/** @returns samples written */
function repeat(recording: Buffer, path: string): number {
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
  for (; written < SAMPLES; written += samples.length) {
    writeSync(file, Buffer.concat([...samples, round]));
    for (const sample of samples) sample.writeBigUInt64LE(timeOf(sample) + turn, TIME_IN_SAMPLE);
  }
  closeSync(file);
  return written;
}

async function main(): Promise<void> {
  if (!(hasTool('perf') && hasTool('gcc') && canRecord())) {
    console.log('perf: NOT RUN: no gcc, or no perf that may record, on this machine');
    return;
  }
  const folder = mkdtempSync(join(tmpdir(), 'profpipe-bench-'));
  try {
    const program = join(folder, 'processes');
    execFileSync('gcc', ['-O2', '-g', '-pthread', '-o', program, join(root, 'test/live/programs/perf/processes.c')]);
    for (const callGraph of ['dwarf,8192', 'fp']) {
      const path = join(folder, 'perf.data');
      const options = ['-e', 'cpu-clock', '-F', '1000', '--call-graph', callGraph];
      const samples = repeat(recordPiped(options, [program]), path);
      console.log(`\n--call-graph ${callGraph}: ${samples} samples, ${(statSync(path).size / 1e6).toFixed(0)} MB`);
      const pipe = [join(root, 'dist/core/cli/bin.js'), 'run', 'perf.yml', '--quiet', '--set'];
      const contenders = [
        {
          name: 'profpipe',
          call: [process.execPath, ...pipe, `profile=${path}`, '--set', `out=${join(folder, 'out')}`],
        },
        { name: 'perf script --no-inline', call: ['perf', 'script', '--no-inline', '-i', path] },
        { name: 'perf script', call: ['perf', 'script', '-i', path] },
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
      for (const [index, { name }] of contenders.entries()) {
        const ms = median(costs[index]!.ms);
        const ratio = index === 0 ? '' : `, ${(ms / own).toFixed(2)} times ours`;
        const rate = Math.round((1000 * samples) / ms);
        console.log(`${name}: ${ms.toFixed(0)} ms, ${rate} samples/s, ${costs[index]!.peakMiB.toFixed(0)} MiB${ratio}`);
      }
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

await main();
