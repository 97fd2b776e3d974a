/**
 * Client of debuginfod servers: fetches executables and debug files by build ID into a folder laid out as /usr/lib/debug is, where those
 * who look for files find them. Source: debuginfod(8) of elfutils, "WEBAPI".
 */
import { randomUUID } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { open, readdir, rename, rm, stat, utimes } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { Readable, Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { buildIdPath } from './binary-folders.js';
import { makeFolder } from './folder.js';

export interface DebuginfodOptions {
  /** Base addresses, asked in this order. */
  readonly servers: readonly string[];
  /** Where files are kept between runs. */
  readonly folder: string;
  /** Without a byte of the answer, after which a server is given up for the rest of the process. */
  readonly timeoutMs: number;
  /** Of all files kept, and so of each. */
  readonly folderBytes: number;
}

export type FileKind = 'executable' | 'debuginfo';

/** Whether the file is in the folder now; `problem` says which servers could not be asked, and is absent when none has the file. */
export interface Fetched {
  readonly found: boolean;
  readonly problem?: string;
}

const ENDING = { executable: '', debuginfo: '.debug' } as const;
const PART = '.part';
const POLL_MS = 50;
/** Of the timeout: what one file may take though bytes keep coming. */
const LONGEST_DOWNLOAD = 30;

export class Debuginfod {
  readonly folder: string;
  readonly #options: DebuginfodOptions;
  readonly #signal: AbortSignal;
  readonly #answers = new Map<string, Promise<Fetched>>();
  /** Servers that did not answer, with what they did instead. */
  readonly #down = new Map<string, string>();

  /** @param signal ends what is under way */
  constructor(options: DebuginfodOptions, signal: AbortSignal = new AbortController().signal) {
    this.#options = options;
    this.folder = options.folder;
    this.#signal = signal;
  }

  /** Asks for each file once. @param buildId GNU build ID, hexadecimal */
  fetch(buildId: string, kind: FileKind): Promise<Fetched> {
    const path = buildIdPath(this.folder, buildId, ENDING[kind]);
    let answer = this.#answers.get(path);
    if (answer === undefined) {
      answer = this.#fetch(path, `buildid/${buildId.toLowerCase()}/${kind}`);
      this.#answers.set(path, answer);
    }
    return answer;
  }

  async #fetch(path: string, resource: string): Promise<Fetched> {
    if (await markUsed(path)) return { found: true };
    const problems: string[] = [];
    for (const server of this.#options.servers) {
      const known = this.#down.get(server);
      if (known !== undefined) {
        problems.push(known);
        continue;
      }
      try {
        if (await this.#download(`${server.replace(/\/+$/, '')}/${resource}`, path)) {
          await this.#shrink(path);
          return { found: true };
        }
      } catch (error) {
        if (this.#signal.aborted) throw this.#signal.reason;
        const problem = `${server}: ${describe(error)}`;
        problems.push(problem);
        if (!(error instanceof TooLarge)) this.#down.set(server, problem);
      }
    }
    return problems.length === 0 ? { found: false } : { found: false, problem: problems.join('; ') };
  }

  /**
   * Workers want the same files at the same time: one of them has the lock and fetches, the others wait. A lock may be taken over while its
   * owner is still there, so each writes a file of its own: then two fetch, and the file is whole nevertheless.
   * @returns false when the server has no such file
   */
  async #download(url: string, path: string): Promise<boolean> {
    const lock = path + PART;
    const part = `${path}.${randomUUID()}${PART}`;
    makeFolder(dirname(path));
    while (!(await takeLock(lock))) {
      this.#signal.throwIfAborted();
      if ((await ageMs(lock)) > 2 * this.#options.timeoutMs) await rm(lock, { force: true });
      else await sleep(POLL_MS);
      if (await markUsed(path)) return true;
    }
    try {
      // Whoever had the lock may have come to its end since we looked.
      if (await markUsed(path)) return true;
      if (!(await this.#receive(url, part, lock))) return false;
      await rename(part, path);
      return true;
    } finally {
      await rm(part, { force: true });
      await rm(lock, { force: true });
    }
  }

  /** @param lock kept young while bytes come */
  async #receive(url: string, part: string, lock: string): Promise<boolean> {
    const idle = new AbortController();
    const { timeoutMs, folderBytes } = this.#options;
    const timer = setTimeout(() => idle.abort(new Error(`no answer within ${timeoutMs} ms`)), timeoutMs);
    const longest = setTimeout(
      () => idle.abort(new Error(`the file did not come within ${LONGEST_DOWNLOAD * timeoutMs} ms`)),
      LONGEST_DOWNLOAD * timeoutMs,
    );
    const signal = AbortSignal.any([idle.signal, this.#signal]);
    try {
      const response = await fetch(url, { signal });
      if (response.status === 404) {
        await response.body?.cancel();
        return false;
      }
      if (!response.ok || response.body === null) {
        await response.body?.cancel();
        throw new Error(`answers ${response.status} ${response.statusText}`.trimEnd());
      }
      let bytes = 0;
      let lockedMs = Date.now();
      const meter = new Transform({
        transform(chunk: Uint8Array, _encoding, done) {
          timer.refresh();
          if (Date.now() - lockedMs > timeoutMs / 2) {
            lockedMs = Date.now();
            void markUsed(lock);
          }
          bytes += chunk.length;
          done(bytes > folderBytes ? new TooLarge(url, folderBytes) : null, chunk);
        },
      });
      await pipeline(Readable.fromWeb(response.body), meter, createWriteStream(part), { signal });
      return true;
    } catch (error) {
      throw idle.signal.aborted ? idle.signal.reason : error;
    } finally {
      clearTimeout(timer);
      clearTimeout(longest);
    }
  }

  /** Parts of processes that were killed, then the least recently used first, but never the one that was just fetched. */
  async #shrink(fetched: string): Promise<void> {
    const files = await filesBeneath(join(this.folder, '.build-id'));
    const longestMs = LONGEST_DOWNLOAD * this.#options.timeoutMs;
    for (const { path, usedMs } of files) {
      if (path.endsWith(PART) && Date.now() - usedMs > longestMs) await rm(path, { force: true });
    }
    const kept = files.filter(({ path }) => !path.endsWith(PART));
    let bytes = kept.reduce((sum, { size }) => sum + size, 0);
    for (const { path, size } of kept.sort((a, b) => a.usedMs - b.usedMs)) {
      if (bytes <= this.#options.folderBytes) return;
      if (path === fetched) continue;
      await rm(path, { force: true });
      bytes -= size;
    }
  }
}

class TooLarge extends Error {
  constructor(url: string, limit: number) {
    super(`${url} is larger than the ${limit} bytes that are kept of all files`);
  }
}

/** Files that come and go while they are listed are left out. */
async function filesBeneath(folder: string): Promise<{ path: string; size: number; usedMs: number }[]> {
  const names = await readdir(folder, { recursive: true });
  const files = await Promise.all(
    names.map(async (name) => {
      const path = join(folder, name);
      const found = await stat(path).catch(() => undefined);
      return found?.isFile() ? [{ path, size: found.size, usedMs: found.mtimeMs }] : [];
    }),
  );
  return files.flat();
}

/** @returns false when somebody else is at it */
async function takeLock(lock: string): Promise<boolean> {
  try {
    await (await open(lock, 'wx')).close();
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  }
}

async function ageMs(path: string): Promise<number> {
  const found = await stat(path).catch(() => undefined);
  return found === undefined ? 0 : Date.now() - found.mtimeMs;
}

/** A file's time of change is that of its last use, for `#shrink`. @returns false when there is no such file */
async function markUsed(path: string): Promise<boolean> {
  const now = new Date();
  return utimes(path, now, now).then(
    () => true,
    () => false,
  );
}

/** fetch says "fetch failed", and why in its cause. */
function describe(error: unknown): string {
  const { message, cause } = error as Error;
  return cause instanceof Error ? cause.message || String((cause as NodeJS.ErrnoException).code) : message;
}
