/** Where binaries and debug files are looked for that nobody named: what is given, else what the environment says. */
import { homedir } from 'node:os';
import { join } from 'node:path';
import type { DebuginfodOptions } from './debuginfod.js';

export interface SearchOptions {
  /** Default: those of PPROF_BINARY_PATH. */
  readonly folders?: readonly string[];
  /** Folder that the recorded paths are beneath: the root of a container. Default: none, they are paths of this machine. */
  readonly root?: string;
  /** Base addresses of debuginfod servers. Default: those of DEBUGINFOD_URLS; none where that is not set. */
  readonly servers?: readonly string[];
  /** Seconds without a byte after which a server is given up. Default 10. */
  readonly timeout?: number;
  /** Of the folder in which fetched files are kept. Default 4 GiB. */
  readonly cacheBytes?: number;
}

const DEFAULT_TIMEOUT_S = 10;
const DEFAULT_CACHE_BYTES = 4 * 2 ** 30;

export interface Search {
  readonly folders: readonly string[];
  readonly root: string | undefined;
  readonly debuginfod: DebuginfodOptions | undefined;
}

/** @param environment variables, as of the process */
export function searchBy(
  { folders, root, servers, timeout = DEFAULT_TIMEOUT_S, cacheBytes = DEFAULT_CACHE_BYTES }: SearchOptions,
  environment: Readonly<Record<string, string | undefined>>,
): Search {
  const asked = servers ?? words(environment.DEBUGINFOD_URLS, /\s+/);
  const caches = environment.XDG_CACHE_HOME || join(homedir(), '.cache');
  return {
    folders: folders ?? words(environment.PPROF_BINARY_PATH, /:/),
    root,
    debuginfod:
      asked.length === 0
        ? undefined
        : {
            servers: asked,
            folder: join(caches, 'profpipe', 'debuginfod'),
            timeoutMs: timeout * 1000,
            folderBytes: cacheBytes,
          },
  };
}

/** Where perf keeps a copy of every file that it recorded. */
export const perfCache = (): string => join(homedir(), '.debug');

function words(list: string | undefined, separator: RegExp): string[] {
  return (list ?? '').split(separator).filter((word) => word !== '');
}
