/** Linux perf itself: records, and says what it reads from a recording. */
import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';

/** Whether perf may record here: a kernel may refuse it, or only `-a`, all processors. */
export function canRecord(...options: readonly string[]): boolean {
  const folder = mkdtempSync(join(tmpdir(), 'profpipe-perf-'));
  try {
    const args = ['record', '-q', '-e', 'cpu-clock', ...options, '-o', join(folder, 'perf.data'), 'true'];
    return spawnSync('perf', args, { stdio: 'ignore' }).status === 0;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** @param options of `perf record` @param command with its arguments @returns the recording */
export function record(folder: string, options: readonly string[], command: readonly string[]): Buffer {
  const path = join(folder, 'perf.data');
  execFileSync('perf', ['record', '-q', '-o', path, ...options, '--', ...command], { stdio: 'ignore' });
  return readFileSync(path);
}

/** The same through a pipe: another format. */
export function recordPiped(options: readonly string[], command: readonly string[]): Buffer {
  return execFileSync('perf', ['record', '-q', '-o', '-', ...options, '--', ...command], {
    stdio: ['ignore', 'pipe', 'ignore'],
    maxBuffer: 2 ** 30,
  });
}

export interface PrintedSample {
  readonly comm: string;
  readonly pid: bigint;
  readonly tid: bigint;
  readonly cpu: bigint | undefined;
  readonly period: bigint;
  readonly event: string;
  /** As recorded: of a chain, callers have return addresses. */
  readonly addresses: readonly bigint[];
  /** By perf's names: AX, IP. */
  readonly registers: ReadonlyMap<string, bigint>;
  readonly stackBytes: number;
}

/** The name may end with a space, cut to 15 bytes; of a file it is set right in 16 columns, of a pipe it is not. */
const HEAD = /^(.{16}(?= )|.*?)\s+-?\d+\/-?\d+\s+(?:\[(\d+)\]\s+)?(\S+?):\s*$/;
const SAMPLE = /PERF_RECORD_SAMPLE\(IP, 0x[0-9a-f]+\): (-?\d+)\/(-?\d+): (?:0x)?([0-9a-f]+) period: (\d+)/;
const CHAINED = /^\.+ +\d+: ([0-9a-f]{16})$/;
const REGISTER = /^\.{4} (\w+) +0x([0-9a-f]{16})$/;
const CONTEXTS_FROM = 2n ** 64n - 4095n;

/**
 * What perf reads from a recording: samples in its order, and how many records came after younger ones of the round before: a processor
 * that is held up between an event's time and its record writes some.
 * @param hasCpu they have their processor
 */
export async function printedSamples(
  path: string,
  hasCpu: boolean,
): Promise<{ readonly samples: readonly PrintedSample[]; readonly late: number }> {
  // The dump has no names of events; the script has no addresses as they were recorded.
  const fields = ['comm', 'pid', 'tid', ...(hasCpu ? ['cpu'] : []), 'event'].join();
  const heads: { readonly comm: string; readonly cpu: bigint | undefined; readonly event: string }[] = [];
  for await (const line of linesOf(['script', '-i', path, '-F', fields])) {
    const head = HEAD.exec(line);
    if (head !== null)
      heads.push({
        comm: head[1]!.trimStart(),
        cpu: head[2] === undefined ? undefined : BigInt(head[2]),
        event: head[3]!,
      });
  }
  const samples: (PrintedSample & { addresses: bigint[]; registers: Map<string, bigint>; stackBytes: number })[] = [];
  let isChain = false;
  // With the calls that are inlined in programs that ran beside ours it may take half an hour.
  const warnings: string[] = [];
  for await (const line of linesOf(['report', '-D', '--no-inline', '-i', path], warnings)) {
    const start = SAMPLE.exec(line);
    if (start !== null) {
      const [, pid, tid, ip, period] = start;
      samples.push({
        ...heads[samples.length]!,
        pid: BigInt(pid!),
        tid: BigInt(tid!),
        period: BigInt(period!),
        addresses: [BigInt(`0x${ip}`)],
        registers: new Map(),
        stackBytes: 0,
      });
      isChain = false;
      continue;
    }
    const sample = samples.at(-1);
    if (sample === undefined || !line.startsWith('...')) continue;
    const address = CHAINED.exec(line);
    const register = REGISTER.exec(line);
    if (address !== null) {
      const value = BigInt(`0x${address[1]}`);
      if (!isChain) sample.addresses.length = 0;
      isChain = true;
      if (value < CONTEXTS_FROM) sample.addresses.push(value);
    } else if (register !== null) sample.registers.set(register[1]!, BigInt(`0x${register[2]}`));
    else if (line.startsWith('... ustack: size ')) sample.stackBytes = Number.parseInt(line.slice(17), 10);
  }
  const [, late = 0] = /(\d+) out of order events recorded/.exec(warnings.join('')) ?? [];
  return { samples, late: Number(late) };
}

/** @param warnings get what it says besides */
async function* linesOf(args: readonly string[], warnings: string[] = []): AsyncGenerator<string> {
  const perf = spawn('perf', args, { stdio: ['ignore', 'pipe', 'pipe'] });
  const closed = once(perf, 'close');
  perf.stderr.on('data', (text) => warnings.push(`${text}`));
  yield* createInterface({ input: perf.stdout });
  await closed;
}
