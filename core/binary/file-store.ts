/** The BinaryStore of a worker: finds binaries by `locateBinary`, keeps them in a `BinaryCache`. */
import { resolve } from 'node:path';
import { FormatError } from '../formats/errors.js';
import { Budget, type Limits } from '../formats/limits.js';
import { type MappingTable, NO_ROW, type Profile } from '../profile/profile.js';
import { pathsInFolder } from './binary-folders.js';
import { BinaryCache, type CacheBounds } from './cache.js';
import { type DebugSearch, defaultDebugSearch } from './debug-files.js';
import { Debuginfod, type Fetched } from './debuginfod.js';
import { fetchDebugFile, fetchExecutable } from './fetch-missing.js';
import { statRegularFile } from './file-source.js';
import { isFolder } from './folder.js';
import { isKernelList, openKernelList, ownKernelBuildId } from './kernel-list.js';
import { type Located, locateBinary, type Opened } from './locate.js';
import { isSpecial, type Mapping, mappingAt, objectAddresses, programRows } from './mapping.js';
import { openBinary } from './open.js';
import { openOwnVdso, VDSO } from './own-vdso.js';
import { pathBeneath } from './root.js';
import { perfCache, type SearchOptions, searchBy } from './search.js';
import type { BinaryStore, MappedBinary } from './store.js';

export interface StoreOptions {
  readonly bounds?: CacheBounds;
  /** Ends what is being fetched. */
  readonly signal?: AbortSignal;
}

export function createBinaryStore(limits: Partial<Limits> = {}, options: StoreOptions = {}): BinaryStore {
  return new FileBinaryStore(limits, options);
}

interface KnownMappings {
  readonly program: ReadonlySet<number>;
  readonly binaries: Map<number, MappedBinary>;
}

class FileBinaryStore implements BinaryStore {
  readonly #explicit = new Set<string>();
  readonly #folders = new Set<string>();
  readonly #caches = [perfCache()];
  #root: string | undefined;
  readonly #signal: AbortSignal | undefined;
  #servers: Debuginfod | undefined;
  readonly #cache: BinaryCache;
  /** By mapping table: stages that do not touch mappings hand on the same one. */
  #known = new WeakMap<MappingTable, KnownMappings>();

  constructor(limits: Partial<Limits>, { bounds, signal }: StoreOptions) {
    this.#signal = signal;
    this.#cache = new BinaryCache((path) => tryOpen(path, limits, { folders: this.#debugFolders() }), bounds);
  }

  add(paths: readonly string[]): void {
    for (const path of paths) {
      if (isFolder(path)) {
        this.#folders.add(resolve(path));
        this.#cache.clear();
        continue;
      }
      statRegularFile(path);
      this.#explicit.add(resolve(path));
    }
    this.#known = new WeakMap();
  }

  search(options: SearchOptions): void {
    const { folders, root, debuginfod } = searchBy(options, process.env);
    for (const folder of folders) this.#folders.add(resolve(folder));
    if (root !== undefined) this.#root = resolve(root) === '/' ? undefined : resolve(root);
    if (debuginfod !== undefined) {
      this.#folders.add(debuginfod.folder);
      this.#servers = new Debuginfod(debuginfod, this.#signal);
    }
    this.#cache.clear();
    this.#known = new WeakMap();
  }

  async fetchMissing(profile: Profile, mappingRows: Iterable<number>): Promise<readonly string[]> {
    const servers = this.#servers;
    if (servers === undefined) return [];
    const rows = [...mappingRows].filter((row) => row !== NO_ROW && !isSpecial(mappingAt(profile, row)));
    const problems = await Promise.all(rows.map((row) => this.#fetchFor(profile, row, servers)));
    return [...new Set(problems.flat())];
  }

  forMapping(profile: Profile, mappingRow: number): MappedBinary {
    let known = this.#known.get(profile.mappings);
    if (known === undefined) {
      known = { program: programRows(profile), binaries: new Map() };
      this.#known.set(profile.mappings, known);
    }
    let mapped = known.binaries.get(mappingRow);
    if (mapped === undefined) {
      mapped = this.#find(profile, mappingRow, known.program);
      known.binaries.set(mappingRow, mapped);
    }
    return mapped;
  }

  get stats(): BinaryStore['stats'] {
    return this.#cache.stats;
  }

  close(): void {
    this.#known = new WeakMap();
    this.#cache.clear();
  }

  async #fetchFor(profile: Profile, row: number, servers: Debuginfod): Promise<string[]> {
    const fetched: Fetched[] = [];
    if (this.forMapping(profile, row).binary === undefined) {
      fetched.push(await fetchExecutable(mappingAt(profile, row).buildId, servers));
      if (fetched[0]!.found) this.#forget(pathsInFolder(servers.folder, mappingAt(profile, row)));
    }
    const { binary } = this.forMapping(profile, row);
    if (binary !== undefined) {
      const debugFile = await fetchDebugFile(binary, servers);
      if (debugFile.found) this.#forget([binary.path]);
      fetched.push(debugFile);
    }
    return fetched.flatMap(({ problem }) => (problem === undefined ? [] : [problem]));
  }

  #toHost(path: string): string {
    return this.#root === undefined ? path : pathBeneath(this.#root, path);
  }

  #debugFolders(): string[] {
    const ofRoot = this.#root === undefined ? [] : defaultDebugSearch.folders.map((folder) => this.#toHost(folder));
    return [...ofRoot, ...defaultDebugSearch.folders, ...this.#folders, ...this.#caches];
  }

  #forget(paths: readonly string[]): void {
    for (const path of paths) this.#cache.forget(path);
    this.#known = new WeakMap();
  }

  #find(profile: Profile, row: number, program: ReadonlySet<number>): MappedBinary {
    if (row === NO_ROW) return mappedBy(this.#withoutMapping(profile), undefined);
    const mapping = mappingAt(profile, row);
    const located = locateBinary(mapping, {
      explicit: [...this.#explicit],
      folders: [...this.#folders],
      caches: this.#caches,
      toHost: (path) => this.#toHost(path),
      isProgram: program.has(row),
      isOwnKernel: (buildId) => buildId === ownKernelBuildId(),
      open: (path) => this.#cache.get(path),
    });
    return mappedBy(located, mapping);
  }

  #withoutMapping(profile: Profile): Opened {
    const [only, ...others] = this.#explicit;
    if (only !== undefined && others.length === 0 && profile.mappings.length === 0) return this.#cache.get(only);
    return { reason: 'no_binary', message: 'locations without mapping, and not exactly one binary named' };
  }
}

function mappedBy(located: Located, mapping: Mapping | undefined): MappedBinary {
  return 'binary' in located
    ? { ...located, toObjectAddress: objectAddresses(located.binary, mapping) }
    : { binary: undefined, ...located };
}

const REASON_OF_CODE: ReadonlyMap<string, string> = new Map([
  ['E_OBJECT_FORMAT', 'not_an_object_file'],
  ['E_ELF_CLASS', 'unsupported_file'],
  ['E_ELF_BYTE_ORDER', 'unsupported_file'],
]);

function tryOpen(path: string, limits: Partial<Limits>, search: DebugSearch): Opened {
  try {
    const budget = new Budget(limits);
    if (path === VDSO) return { binary: openOwnVdso(budget, search) };
    return { binary: isKernelList(path) ? openKernelList(path, budget) : openBinary(path, budget, search) };
  } catch (error) {
    if (error instanceof FormatError) {
      return { reason: REASON_OF_CODE.get(error.code) ?? 'spoilt_file', message: `${path}: ${error.describe()}` };
    }
    const { code, message } = error as NodeJS.ErrnoException;
    const isMissing = code === 'ENOENT' || code === 'ENOTDIR';
    return { reason: isMissing ? 'no_binary' : 'unreadable', message: isMissing ? `${path}: no such file` : message };
  }
}
