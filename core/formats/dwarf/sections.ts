/** What the DWARF reader needs of the object file around it. */
import type { ByteSource } from '../source.js';

export interface DebugSections {
  /** Of pointers in the file. */
  readonly addressBytes: 4 | 8;
  /** Whether numbers in the file are little-endian. */
  readonly isLittleEndian: boolean;
  /** What is taken off an address in the file to get an object address. */
  readonly imageBase: bigint;
  /**
   * A section by its ELF name (".debug_info", also for Mach-O's `__debug_info` and for `.zdebug_info`), as if it were not compressed.
   * Uncompressed ones are read by ranges; offsets of its `read` are offsets in the section.
   * @returns undefined when the file has none @throws FormatError for a spoilt compression, E_LIMIT
   */
  section(name: string): ByteSource | undefined;
}
