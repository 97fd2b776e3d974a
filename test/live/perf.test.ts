/** Recordings of this machine's perf, sample by sample and in their order against what `perf script` reads from them. */
import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { createReadStream, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { checkProfile } from '../../core/index.js';
import { hasTool } from '../helpers/go-toolchain.js';
import { type DecodedSample, decodePerf, samplesOf } from '../helpers/perf-decode.js';
import { canRecord, type PrintedSample, printedSamples, record, recordPiped } from '../helpers/perf-tool.js';
import { temporaryFolder } from '../helpers/temporary.js';

const skip = !(hasTool('perf') && hasTool('gcc'))
  ? 'NOT RUN: no perf or no gcc on this machine'
  : !canRecord('-a') && 'NOT RUN: perf may not record on this machine';
const source = fileURLToPath(new URL('../../../test/live/programs/perf/processes.c', import.meta.url));

interface Way {
  readonly name: string;
  readonly options: readonly string[];
  readonly isPiped?: boolean;
  /** Samples say their processor. */
  readonly hasCpu?: boolean;
}

const ways: readonly Way[] = [
  { name: 'addresses only', options: ['-e', 'cpu-clock', '-F', '2000'] },
  { name: 'call chains', options: ['-e', 'cpu-clock', '-F', '2000', '-g'] },
  { name: 'a fixed period', options: ['-e', 'cpu-clock', '-c', '700000', '-g'] },
  { name: 'several events', options: ['-e', 'cpu-clock,page-faults,context-switches', '-F', '1000', '-g'] },
  { name: 'one event twice', options: ['-e', 'cpu-clock:u,cpu-clock:k', '-F', '1000', '-g'] },
  { name: 'all processors', options: ['-a', '-e', 'cpu-clock', '-F', '500', '-g'], hasCpu: true },
  { name: 'compressed', options: ['-z', '-e', 'cpu-clock', '-F', '2000', '-g'] },
  { name: 'build IDs in mappings', options: ['--buildid-mmap', '-e', 'cpu-clock', '-F', '1000', '-g'] },
  { name: 'weights and addresses', options: ['-d', '--phys-data', '-W', '-e', 'cpu-clock', '-F', '1000', '-g'] },
  { name: 'a pipe', options: ['-e', 'cpu-clock', '-F', '2000', '-g'], isPiped: true },
  { name: 'a compressed pipe', options: ['-z', '-e', 'cpu-clock', '-F', '2000', '-g'], isPiped: true },
  { name: 'a pipe, several events', options: ['-e', 'cpu-clock,page-faults', '-F', '1000', '-g'], isPiped: true },
  {
    name: 'captured stacks',
    options: ['-e', 'cpu-clock', '-F', '500', '--call-graph', 'dwarf,4096'],
  },
  {
    name: 'captured stacks, all processors, compressed',
    options: ['-a', '-z', '-e', 'cpu-clock', '-F', '300', '--call-graph', 'dwarf,8192'],
    hasCpu: true,
  },
  {
    name: 'captured stacks through a pipe',
    options: ['-e', 'cpu-clock,page-faults', '-F', '500', '--call-graph', 'dwarf,4096'],
    isPiped: true,
  },
];

test('of a group, each event counts as perf says', { skip }, async (context) => {
  const here = temporaryFolder(context);
  const program = join(here, 'processes');
  execFileSync('gcc', ['-O1', '-g', '-fno-omit-frame-pointer', '-pthread', '-o', program, source], {
    stdio: 'inherit',
  });
  const events = ['cpu-clock', 'page-faults', 'context-switches'];
  const bytes = record(here, ['-a', '-e', `{${events.join()}}:S`, '-F', '500', '-g'], [program]);
  // perf has a sample for each event that counted anything, and no order of theirs in time that is not the samples'.
  const fields = ['script', '-i', join(here, 'perf.data'), '-F', 'tid,event,period', '-G'];
  const printed = execFileSync('perf', fields, {
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'ignore'],
    maxBuffer: 2 ** 28,
  });
  const expected = printed.match(/^\s*-?\d+\s+\d+\s+\S+:/gm)?.map((line) => line.trim().replace(/\s+/g, ' ')) ?? [];
  const { parts } = await decodePerf(bytes, { labels: ['tid'] });
  const ours = samplesOf(parts).flatMap(({ labels, values }) =>
    values.slice(1).flatMap((value, at) => (value === 0n ? [] : [`${labels.tid} ${value} ${events[at]}:`])),
  );
  context.diagnostic(`${ours.length} counts`);
  assert.ok(expected.length > 100, 'hardly anything was recorded');
  assertSameLines(ours, expected);
});

test('recordings are read as perf reads them', { skip }, async (context) => {
  const program = join(temporaryFolder(context), 'processes');
  const flags = ['-O1', '-g', '-fno-omit-frame-pointer', '-pthread'];
  execFileSync('gcc', [...flags, '-o', program, source], { stdio: 'inherit' });

  for (const { name, options, isPiped = false, hasCpu = false } of ways) {
    await context.test(name, async (context) => {
      const folder = temporaryFolder(context);
      const bytes = isPiped ? recordPiped(options, [program]) : record(folder, options, [program]);
      const path = join(folder, 'read.data');
      writeFileSync(path, bytes);
      const { samples: expected, late } = await printedSamples(path, hasCpu);

      const labels = ['pid', 'tid', 'comm', 'event', ...(hasCpu ? (['cpu'] as const) : [])] as const;
      const { parts, counters, broken } = await decodePerf(bytes, { labels: [...labels] });
      assert.equal(broken, undefined);
      assert.equal(counters.records_late ?? 0, late);
      for (const part of parts) assert.deepEqual(checkProfile(part), []);
      const samples = samplesOf(parts);
      context.diagnostic(
        `${samples.length} samples, up to ${Math.max(...samples.map(({ stack }) => stack.length))} deep`,
      );
      assert.ok(expected.length > 5, 'hardly anything was recorded');
      assertSameLines(samples.map(decodedLine), expected.map(printedLine));

      const again = await decodePerf(createReadStream(path, { highWaterMark: 777 }), { labels: [...labels] });
      assertSameLines(samplesOf(again.parts).map(decodedLine), samples.map(decodedLine));
    });
  }
});

test('a folder of files says how to make one of them, with all samples', { skip }, async (context) => {
  const here = temporaryFolder(context);
  const program = join(here, 'processes');
  execFileSync('gcc', ['-O1', '-g', '-fno-omit-frame-pointer', '-pthread', '-o', program, source], {
    stdio: 'inherit',
  });
  const folder = join(here, 'folder');
  const options = ['-q', '--threads', '-e', 'cpu-clock', '-F', '1000', '-g'];
  const { status } = spawnSync('perf', ['record', ...options, '-o', folder, '--', program], { stdio: 'ignore' });
  if (status !== 0) return context.skip('NOT RUN: this perf writes no folders');
  const labels = ['pid', 'tid', 'comm', 'event'] as const;
  await assert.rejects(decodePerf(readFileSync(join(folder, 'data')), { labels: [...labels] }), {
    code: 'E_PERF_FOLDER',
    message: /`perf inject -i FOLDER -o - > one\.data`/,
  });
  const bytes = execFileSync('perf', ['inject', '-i', folder, '-o', '-'], {
    stdio: ['ignore', 'pipe', 'ignore'],
    maxBuffer: 2 ** 28,
  });
  const { parts } = await decodePerf(bytes, { labels: [...labels] });
  const { samples: expected } = await printedSamples(folder, false);
  context.diagnostic(`${expected.length} samples`);
  assert.ok(expected.length > 5, 'hardly anything was recorded');
  assertSameLines(samplesOf(parts).map(decodedLine).sort(), expected.map(printedLine).sort());
});

function decodedLine({ stack, values, labels, capture }: DecodedSample): string {
  const { pid, tid, cpu, event } = labels;
  // Of a thread that nothing named: perf shows its number, also of one that ends, which has none and the name of its process.
  const comm = `${tid}` === '-1' ? ':-1' : (labels.comm ?? `:${tid}`);
  const period = values.slice(1).reduce((sum, value) => sum + value, 0n);
  const { pc = 0, sp = 0, fp = 0, stackBytes = 0 } = capture ?? {};
  const addresses = stack.map((address) => address.toString(16)).join(' ');
  return `${comm} ${pid}/${tid} ${cpu} ${event} ${period} ${addresses} pc ${pc} sp ${sp} fp ${fp} bytes ${stackBytes}`;
}

/** Locations have the call for a return address: those of frames that called one of their own side, the kernel or the user's code. */
function printedLine({ comm, pid, tid, cpu, event, period, addresses, registers, stackBytes }: PrintedSample): string {
  const isKernel = (address: bigint) => address >= 2n ** 64n - 2n ** 53n;
  const userFrom = addresses.findIndex((address) => address !== 0n && !isKernel(address));
  // Without frame pointers that were none: the user's code comes last, and has no addresses of the kernel.
  const stack = addresses
    .filter(
      (address, at) => address !== 0n && (isKernel(address) ? userFrom < 0 || at < userFrom : address < 2n ** 53n),
    )
    .map((address, at, known) => (at > 0 && isKernel(address) === isKernel(known[at - 1]!) ? address - 1n : address));
  // Captures have them as doubles, signed: of what is no address the last bits are lost.
  const register = (name: string) => Number(BigInt.asIntN(64, registers.get(name) ?? 0n));
  const pc = registers.get('IP') ?? 0n;
  // The user's code that called the kernel.
  if (pc !== 0n && isKernel(addresses[0]!)) stack.push(pc);
  const text = stack.map((address) => address.toString(16)).join(' ');
  const captured = `pc ${pc} sp ${register('SP')} fp ${register('BP')} bytes ${stackBytes}`;
  return `${comm} ${pid}/${tid} ${cpu} ${event} ${period} ${text} ${captured}`;
}

/** As `deepEqual`, which takes minutes to show how long lists differ. */
function assertSameLines(actual: readonly string[], expected: readonly string[]): void {
  const at = expected.findIndex((line, index) => line !== actual[index]);
  if (at >= 0) assert.equal(actual[at], expected[at], `sample ${at}`);
  assert.equal(actual.length, expected.length);
}
