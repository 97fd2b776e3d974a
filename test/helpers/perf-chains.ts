/** What `perf script --no-inline` makes of captured stacks: one chain a sample, of user space only. */
import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';

export interface PerfChain {
  readonly tid: number;
  /** Leaf first; as perf prints them: into the file, for code without one the runtime address. */
  readonly addresses: readonly number[];
}

const HEAD = /^\s*(-?\d+)\s+[\d.]+:\s*$/;
const FRAME = /^\s+([0-9a-f]+) .* \(.*\)$/;
/** The kernel's half of the address space, and what perf invents behind the end of a copy. */
const HIGH_HALF = 2 ** 63;

/** Samples in order of time. */
export async function perfChains(path: string): Promise<PerfChain[]> {
  const args = ['script', '--no-inline', '--max-stack', '2048', '-F', 'tid,time,ip,sym,dso', '-i', path];
  const perf = spawn('perf', args, { stdio: ['ignore', 'pipe', 'ignore'] });
  const chains: (PerfChain & { addresses: number[] })[] = [];
  for await (const line of createInterface({ input: perf.stdout })) {
    const head = HEAD.exec(line);
    if (head !== null) chains.push({ tid: Number(head[1]), addresses: [] });
    const frame = FRAME.exec(line);
    if (frame === null) continue;
    const address = Number.parseInt(frame[1]!, 16);
    if (address < HIGH_HALF) chains.at(-1)!.addresses.push(address);
  }
  return chains;
}
