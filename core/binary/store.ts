/** The executables and libraries that profiles refer to: found, opened lazily, cached, and mapped to runtime addresses. */
import type { Profile } from '../profile/profile.js';
import type { Binary } from './binary.js';
import type { SearchOptions } from './search.js';

/** The binary behind one mapping of a profile, or why there is none. */
export type MappedBinary =
  | {
      readonly binary: Binary;
      /** Why a binary that was named for this mapping is not it, and another was found. For a person. */
      readonly passedOver?: string;
      /** Object address of a runtime address (an exact one: no −1 here); undefined outside of the mapping's segments. */
      toObjectAddress(runtimeAddress: bigint): number | undefined;
    }
  | {
      readonly binary: undefined;
      readonly passedOver?: undefined;
      /** Machine-readable: "no_binary", "build_id_differs", "unreadable", "not_elf" … */
      readonly reason: string;
      /** For a person, with both build ids or the path and error. */
      readonly message: string;
    };

export interface BinaryStore {
  /**
   * Names binaries outright, or folders to look for them in. Any stage's `binaries:` option ends here, and holds for all stages of the
   * pipeline.
   * @throws Error when a path does not exist or is neither
   */
  add(paths: readonly string[]): void;
  /** Where else to look for binaries and debug files; without a call, under /usr/lib/debug and in perf's cache. Holds for all stages too. */
  search(options: SearchOptions): void;
  /**
   * Has what is missing for some mappings of a profile fetched from debuginfod servers, where `search` names some. Call it before
   * `forMapping`, whose results from before may be out of date then.
   * @returns what went wrong, for a person: each server that does not answer
   */
  fetchMissing(profile: Profile, mappingRows: Iterable<number>): Promise<readonly string[]>;
  /** The binary of a mapping row (NO_ROW: of a profile without mappings). Cached: cheap to call per location. */
  forMapping(profile: Profile, mappingRow: number): MappedBinary;
  /** Counters for the summary: opened, evicted, bytes held. */
  readonly stats: { readonly opened: number; readonly evicted: number; readonly bytes: number };
  close(): void;
}
