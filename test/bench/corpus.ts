/** The profiles that the bench measures on: made by a real Go program, once, and kept in the user's cache folder. */
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, renameSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';

export const cacheFolder = join(process.env.XDG_CACHE_HOME || join(homedir(), '.cache'), 'profpipe', 'bench-1');

/** Compressed sizes: some 100 KB each, and one with well over 20,000 samples. */
const SMALL_BYTES = 80_000;
const LARGE_BYTES = 900_000;
export const SMALL_COUNT = 200;

export interface BenchCorpus {
  readonly large: string;
  readonly small: readonly string[];
}

/** @param peers program of test/bench/peers */
export function makeCorpus(peers: string, log: (message: string) => void): BenchCorpus {
  mkdirSync(cacheFolder, { recursive: true });
  const make = (name: string, seed: number, leastBytes: number) => {
    const path = join(cacheFolder, name);
    if (existsSync(path)) return path;
    const run = spawnSync(peers, ['allocations', `${path}.part`, `${seed}`, `${leastBytes}`], { encoding: 'utf8' });
    if (run.status !== 0) throw new Error(`peers allocations: ${run.error?.message ?? run.stderr}`);
    renameSync(`${path}.part`, path);
    return path;
  };
  if (!existsSync(join(cacheFolder, `small-${SMALL_COUNT - 1}.pb.gz`))) log(`making profiles in ${cacheFolder} …`);
  const large = make('large.pb.gz', 1, LARGE_BYTES);
  const small = Array.from({ length: SMALL_COUNT }, (_, i) => make(`small-${i}.pb.gz`, i + 2, SMALL_BYTES));
  return { large, small };
}
