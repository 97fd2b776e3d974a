/** The BinaryStore of a worker: finds binaries by `locateBinary`, keeps them in a `BinaryCache`. */
import { resolve } from 'node:path';
import { FormatError } from '../formats/errors.js';
import { Budget, type Limits } from '../formats/limits.js';
import { type MappingTable, NO_ROW, type Profile } from '../profile/profile.js';
import { BinaryCache, type CacheBounds } from './cache.js';
import { statRegularFile } from './file-source.js';
import { locateBinary, type Opened } from './locate.js';
import { type Mapping, mappingAt, objectAddresses, programRows } from './mapping.js';
import { openBinary } from './open.js';
import type { BinaryStore, MappedBinary } from './store.js';

export function createBinaryStore(limits: Partial<Limits> = {}, bounds?: CacheBounds): BinaryStore {
  return new FileBinaryStore(limits, bounds);
}

interface KnownMappings {
  readonly program: ReadonlySet<number>;
  readonly binaries: Map<number, MappedBinary>;
}

class FileBinaryStore implements BinaryStore {
  readonly #explicit = new Set<string>();
  readonly #cache: BinaryCache;
  /** By mapping table: stages that do not touch mappings hand on the same one. */
  #known = new WeakMap<MappingTable, KnownMappings>();

  constructor(limits: Partial<Limits>, bounds: CacheBounds | undefined) {
    this.#cache = new BinaryCache((path) => tryOpen(path, limits), bounds);
  }

  add(paths: readonly string[]): void {
    for (const path of paths) {
      statRegularFile(path);
      this.#explicit.add(resolve(path));
    }
    this.#known = new WeakMap();
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

  #find(profile: Profile, row: number, program: ReadonlySet<number>): MappedBinary {
    if (row === NO_ROW) return mappedBy(this.#withoutMapping(profile), undefined);
    const mapping = mappingAt(profile, row);
    const located = locateBinary(mapping, {
      explicit: [...this.#explicit],
      isProgram: program.has(row),
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

function mappedBy(opened: Opened, mapping: Mapping | undefined): MappedBinary {
  return 'binary' in opened
    ? { binary: opened.binary, toObjectAddress: objectAddresses(opened.binary, mapping) }
    : { binary: undefined, ...opened };
}

const REASON_OF_CODE: ReadonlyMap<string, string> = new Map([
  ['E_OBJECT_FORMAT', 'not_an_object_file'],
  ['E_ELF_CLASS', 'unsupported_file'],
  ['E_ELF_BYTE_ORDER', 'unsupported_file'],
]);

function tryOpen(path: string, limits: Partial<Limits>): Opened {
  try {
    return { binary: openBinary(path, new Budget(limits)) };
  } catch (error) {
    if (error instanceof FormatError) {
      return { reason: REASON_OF_CODE.get(error.code) ?? 'spoilt_file', message: `${path}: ${error.describe()}` };
    }
    const { code, message } = error as NodeJS.ErrnoException;
    const isMissing = code === 'ENOENT' || code === 'ENOTDIR';
    return { reason: isMissing ? 'no_binary' : 'unreadable', message: isMissing ? `${path}: no such file` : message };
  }
}
