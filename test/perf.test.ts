/** `pipe run perf.yml` on the embedded recording: Go without symbols, its stacks captured, compressed, from a pipe. */
import assert from 'node:assert/strict';
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import type { RunSummary } from '../core/engine/contract/telemetry.js';
import { type Part, u32, u64, zeros } from './helpers/assemble.js';
import { Field, mmap2, type PerfAttribute, perfFile, perfPipe, perfRecord, User } from './helpers/assemble-perf.js';
import { decodePerf, samplesOf } from './helpers/perf-decode.js';
import { pipe, root } from './helpers/pipe.js';
import { temporaryFolder } from './helpers/temporary.js';

/** Twice what a worker that was asked for gets at least, and some more. */
const LARGE_SAMPLES = 2100;

type Assembler = (attributes: readonly PerfAttribute[], records: readonly Part[]) => Uint8Array;
const asFile: Assembler = (attributes, records) => perfFile({ attributes, records });

/** Samples of code without a file, with stacks of two frames, at the lower end of 32 KiB. */
function largeRecording(assemble: Assembler): Uint8Array {
  const sampleType = Field.ip | Field.tid | Field.time | Field.registersUser | Field.stackUser;
  const [code, stackPointer, stackBytes] = [0x40_0000, 0x7000_0000, 32 * 1024];
  const threadAndTime = (time: number) => [u32(7), u32(7), u64(time)];
  const records = Array.from({ length: LARGE_SAMPLES }, (_, row) => {
    const pc = code + (row % 500);
    // BP SP IP: the frame pointer is that of the leaf's caller.
    const registers = [stackPointer, stackPointer, pc].map(u64);
    const stack = [u64(stackPointer + 16), u64(code + 0x800 + (row % 7)), u64(0), u64(0), zeros(stackBytes - 32)];
    return perfRecord(9, User, [
      u64(pc),
      threadAndTime(2 + row),
      u64(2),
      registers,
      u64(stackBytes),
      stack,
      u64(stackBytes),
    ]);
  });
  const program = mmap2(7, [code, 0x1000, 0], '//anon', { trailer: threadAndTime(1) });
  return assemble([{ sampleType, registers: 0b1_1100_0000n }], [program, ...records]);
}

const recording = join(root, 'pipelines', 'samples', 'perf.data');

test('every stack of the embedded recording is complete and has names, with any number of workers', async (t) => {
  const outputs: Map<string, string>[] = [];
  for (const workers of [['--in-process'], ['--workers', '1'], ['--workers', '2'], ['--workers', '4']]) {
    const out = temporaryFolder(t);
    const { exitCode, stdout, stderr } = pipe(['run', 'perf.yml', '--set', `out=${out}`, '--json', ...workers]);
    assert.equal(exitCode, 0, stderr);
    const summary: RunSummary = JSON.parse(stdout);
    const { unwind, symbolize } = summary.counters;
    const { parts } = await decodePerf(readFileSync(recording));
    const { 'stacks.root': toRoot = 0, 'stacks.stack_switch': toSwitch = 0, ...others } = unwind!;
    assert.deepEqual(others, {});
    assert.equal(toRoot + toSwitch, samplesOf(parts).length);
    assert.equal(symbolize!.locations_symbolized, symbolize!.locations);
    outputs.push(new Map(readdirSync(out).map((name) => [name, readFileSync(join(out, name), 'base64')])));
  }
  const [first, ...others] = outputs;
  assert.deepEqual([...first!.keys()].sort(), ['profile.folded', 'profile.json', 'profile.pb.gz']);
  for (const other of others) assert.deepEqual(other, first);
  const folded = Buffer.from(first!.get('profile.folded')!, 'base64').toString();
  assert.match(
    folded,
    /^runtime\.goexit;runtime\.main;main\.main;main\.run;main\.benchmarkGetLast;main\.getLast \d+$/m,
  );
});

test('a large recording, decoded by several workers, gives what one worker gives, also when it is cut', (t) => {
  const folder = temporaryFolder(t);
  const content = largeRecording(asFile);
  for (const [name, bytes] of [
    ['whole', content],
    ['cut', content.subarray(0, -100)],
  ] as const) {
    const path = join(folder, `${name}.data`);
    writeFileSync(path, bytes);
    const results = ['1', '2', '3'].map((workers) => {
      const out = join(folder, name, workers);
      const args = [
        'run',
        'perf.yml',
        '--set',
        `profile=${path}`,
        '--set',
        `out=${out}`,
        '--workers',
        workers,
        '--json',
      ];
      const { exitCode, stdout } = pipe(args);
      const summary: RunSummary = JSON.parse(stdout);
      assert.equal(summary.workers, Math.min(2, Number(workers)));
      const { counters, warnings, failures, reports, samples, inputs } = summary;
      const outputs = readdirSync(out).map((file) => [file, readFileSync(join(out, file), 'base64')]);
      return { exitCode, counters, warnings, failures, reports, samples, inputs, outputs };
    });
    const [one, ...more] = results;
    assert.equal(one!.exitCode, name === 'whole' ? 0 : 20);
    assert.equal(one!.samples, name === 'whole' ? LARGE_SAMPLES : LARGE_SAMPLES - 1);
    assert.deepEqual(one!.counters.unwind, { 'stacks.root': one!.samples });
    for (const other of more) assert.deepEqual(other, one);
  }
});

test('a large recording from standard input gives what its file gives, made for a pipe or a file, also when it is cut', (t) => {
  const folder = temporaryFolder(t);
  const path = join(folder, 'perf.data');
  const out = join(folder, 'out');
  const resultOf = (profile: string, input: Uint8Array) => {
    rmSync(out, { recursive: true, force: true });
    const sets = ['--set', `profile=${profile}`, '--set', `out=${out}`];
    const { exitCode, stdout } = pipe(['run', 'perf.yml', ...sets, '--json'], { input });
    const { counters, warnings, failures, reports, samples, inputs }: RunSummary = JSON.parse(stdout);
    const outputs = readdirSync(out).map((file) => [file, readFileSync(join(out, file), 'base64')]);
    const codes = failures.map(({ code, offset, isDelivered }) => ({ code, offset, isDelivered }));
    return { exitCode, counters, warnings, failures: codes, reports, samples, inputs, outputs };
  };
  for (const assemble of [perfPipe, asFile]) {
    const whole = largeRecording(assemble);
    for (const bytes of [whole, whole.subarray(0, -100)]) {
      writeFileSync(path, bytes);
      const ofFile = resultOf(path, new Uint8Array());
      assert.equal(ofFile.exitCode, bytes === whole ? 0 : 20);
      assert.deepEqual(resultOf('-', bytes), ofFile);
    }
  }
});

test('a recording is a profile like others, from a file or stdin; what is not unwound is said', () => {
  const top = pipe(['profile', 'top', recording]);
  assert.equal(top.exitCode, 0, top.stderr);
  assert.match(top.stdout, /^cpu-clock: /);
  assert.match(top.stderr, /not_unwound/);
  const piped = pipe(['profile', 'top', '-'], { input: readFileSync(recording) });
  assert.equal(piped.stdout, top.stdout, piped.stderr);
});
