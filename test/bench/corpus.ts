/** The profiles that the bench measures on: made by a real Go program, once, and kept in the user's cache folder. */
import { spawnSync } from 'node:child_process';
import { copyFileSync, existsSync, mkdirSync, renameSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';

export const cacheFolder = join(process.env.XDG_CACHE_HOME || join(homedir(), '.cache'), 'profpipe', 'bench-2');

export interface BenchCorpus {
  /** One profile of well over 20,000 samples. */
  readonly large: string;
  /** SMALL_COUNT profiles of some 100 KB each. */
  readonly small: readonly string[];
}

/** What `peers` is told for a kind of profile: processor time to profile (ms), or the least size in bytes. */
const kinds = {
  /** CPU profiles of a service: many locations and strings for their samples, labels that are unique to a request. */
  service: { large: 150_000, small: 4_500 },
  /** Allocation profiles: many samples with deep stacks of few locations, no strings of their own. */
  allocations: { large: 900_000, small: 80_000 },
} as const;

const SMALL_COUNT = 200;

/** @param peers program of test/bench/peers */
export function makeCorpus(peers: string, kind: keyof typeof kinds, log: (message: string) => void): BenchCorpus {
  mkdirSync(cacheFolder, { recursive: true });
  const make = (name: string, seed: number, amount: number) => {
    const path = join(cacheFolder, `${kind}-${name}.pb.gz`);
    if (existsSync(path)) return path;
    log(`making ${path}`);
    const run = spawnSync(peers, [kind, `${path}.part`, `${seed}`, `${amount}`], { encoding: 'utf8' });
    if (run.status !== 0) throw new Error(`peers ${kind}: ${run.error?.message ?? run.stderr}`);
    renameSync(`${path}.part`, path);
    return path;
  };
  const { large, small } = kinds[kind];
  return {
    large: make('large', 1, large),
    small: Array.from({ length: SMALL_COUNT }, (_, i) => make(`${i}`, i + 2, small)),
  };
}

/** Files of their own, since a run reads a path that is named twice once. @param folder is made for them */
export function copiesOf(paths: readonly string[], times: number, folder: string): string[] {
  mkdirSync(folder, { recursive: true });
  return Array.from({ length: times }, (_, time) =>
    paths.map((path, index) => {
      const copy = join(folder, `${time}-${index}.pb.gz`);
      copyFileSync(path, copy);
      return copy;
    }),
  ).flat();
}
