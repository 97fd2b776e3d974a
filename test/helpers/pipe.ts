/** The command `pipe` as a user calls it: a process of its own. */
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The repository, seen from dist/test/helpers. */
export const root = fileURLToPath(new URL('../../..', import.meta.url));
const bin = join(root, 'dist', 'core', 'cli', 'bin.js');

export interface PipeResult {
  /** 128 + the signal's number where one ended it. */
  readonly exitCode: number | null;
  readonly stdout: string;
  readonly stderr: string;
  readonly milliseconds: number;
}

export interface PipeOptions {
  readonly cwd?: string;
  readonly input?: Uint8Array | string;
  /** Milliseconds until the call is ended; five minutes by default, which none takes on any machine. */
  readonly timeout?: number;
  /** Beside those of this process. */
  readonly env?: Readonly<Record<string, string>>;
}

/** A call that takes too long is ended: its exit code is null. */
export function pipe(args: readonly string[], options: PipeOptions = {}): PipeResult {
  const started = performance.now();
  const { status, stdout, stderr } = spawnSync(process.execPath, [bin, ...args], {
    timeout: 300_000,
    ...options,
    encoding: 'utf8',
    maxBuffer: 2 ** 28,
    env: { ...process.env, NO_COLOR: '1', ...options.env },
  });
  return { exitCode: status, stdout, stderr, milliseconds: performance.now() - started };
}
