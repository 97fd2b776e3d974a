/** Times of rounds, and of whole processes with their peak of memory. */
import { spawn } from 'node:child_process';
import { createReadStream, readFileSync } from 'node:fs';

export function median(times: readonly number[]): number {
  const sorted = [...times].sort((a, b) => a - b);
  return sorted[sorted.length >> 1]!;
}

/** Milliseconds of each round; the first ones, which the compiler still changes, are left out. */
export async function rounds(count: number, run: () => unknown): Promise<number[]> {
  const times: number[] = [];
  const warmUp = Math.ceil(count / 2);
  for (let round = 0; round < warmUp + count; round++) {
    const start = performance.now();
    await run();
    if (round >= warmUp) times.push(performance.now() - start);
  }
  return times;
}

export interface ProcessCost {
  readonly ms: number;
  /** Peak of resident memory; 0 where /proc does not say. */
  readonly peakMiB: number;
}

/** @param piped a file that is given on standard input, through a pipe @throws Error when it does not end with 0 */
export function runProcess(command: string, args: readonly string[], piped?: string): Promise<ProcessCost> {
  const start = performance.now();
  const child = spawn(command, args, { stdio: ['pipe', 'ignore', 'pipe'] });
  if (piped === undefined) child.stdin.end();
  else createReadStream(piped).pipe(child.stdin);
  let peakMiB = 0;
  let errors = '';
  child.stderr.on('data', (chunk) => {
    errors += chunk;
  });
  // VmHWM is the peak so far, so the last reading before the end is nearly it.
  const timer = setInterval(() => {
    try {
      const kiB = /VmHWM:\s*(\d+)/.exec(readFileSync(`/proc/${child.pid}/status`, 'utf8'))?.[1];
      peakMiB = Math.max(peakMiB, Number(kiB ?? 0) / 1024);
    } catch {
      // Gone, or no /proc.
    }
  }, 10);
  return new Promise((resolve, reject) => {
    child.on('error', reject);
    child.on('close', (code) => {
      clearInterval(timer);
      if (code === 0) resolve({ ms: performance.now() - start, peakMiB });
      else reject(new Error(`${command} ${args.slice(0, 3).join(' ')} …: exit code ${code}\n${errors}`));
    });
  });
}
