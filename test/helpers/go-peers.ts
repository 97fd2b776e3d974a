/** The Go program of test/bench/peers: built once, by the Go of this machine, with google/pprof from the module proxy. */
import { spawnSync } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { go, noModules } from './go-toolchain.js';

const source = resolve('test/bench/peers');

/** @returns why it cannot be built here, if there is no Go or no answer of the module proxy */
export const noPeers = (): string | false => noModules(source);

/** @throws Error with what the compiler says */
export function buildPeers(folder: string): string {
  mkdirSync(folder, { recursive: true });
  const path = join(folder, 'peers');
  // Not -trimpath: the program works on the sources of the Go that it was built by.
  const build = go(['build', '-o', path, '.'], { cwd: source, env: { ...process.env, GOWORK: 'off' } });
  if (build.status !== 0) throw new Error(`go build ${source}: ${build.error?.message ?? build.stderr}`);
  return path;
}

/** A question for `peers agree`: see agree.go. */
export type AgreeQuestion = readonly [letter: 'r' | 'm' | 't', ...blobs: Uint8Array[]];

/** All questions to one process. @returns "ok" or what differs, for each */
export function askPeers(path: string, questions: readonly AgreeQuestion[]): string[] {
  const parts = questions.flatMap(([letter, ...blobs]) => [
    Buffer.from(letter),
    size(blobs.length),
    ...blobs.flatMap((blob) => [size(blob.length), blob]),
  ]);
  const run = spawnSync(path, ['agree'], { input: Buffer.concat(parts), maxBuffer: 2 ** 28, encoding: 'utf8' });
  if (run.status !== 0) throw new Error(`peers agree: ${run.error?.message ?? run.stderr}`);
  return run.stdout
    .trimEnd()
    .split('\n')
    .map((line) => (line === '"ok"' ? 'ok' : line.slice(0, 4000)));
}

function size(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32LE(value);
  return bytes;
}
