/** The executables and libraries that profiles refer to: found, opened lazily, cached, and mapped to runtime addresses. */
import type { Profile } from '../profile/profile.js';
import type { Binary } from './binary.js';

/** The binary behind one mapping of a profile, or why there is none. */
export type MappedBinary =
  | {
      readonly binary: Binary;
      /** Object address of a runtime address (an exact one: no −1 here); undefined outside of the mapping's segments. */
      toObjectAddress(runtimeAddress: bigint): number | undefined;
    }
  | {
      readonly binary: undefined;
      /** Machine-readable: "no_binary", "build_id_differs", "unreadable", "not_elf" … */
      readonly reason: string;
      /** For a person, with both build ids or the path and error. */
      readonly message: string;
    };

export interface BinaryStore {
  /**
   * Names binaries outright. Any stage's `binaries:` option ends here, and holds for all stages of the pipeline.
   * @throws Error when a path does not exist or is no regular file
   */
  add(paths: readonly string[]): void;
  /** The binary of a mapping row (NO_ROW: of a profile without mappings). Cached: cheap to call per location. */
  forMapping(profile: Profile, mappingRow: number): MappedBinary;
  /** Counters for the summary: opened, evicted, bytes held. */
  readonly stats: { readonly opened: number; readonly evicted: number; readonly bytes: number };
  close(): void;
}
