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
  /** Of the file that `dwz` moved shared parts to (`.gnu_debugaltlink`, `.debug_sup`), with a build ID that was compared. */
  readonly alternate?: DebugSections | undefined;
  /** Of the `.dwp` beside the file, its sections by their names there (".debug_info.dwo"); which units it has is for its index to say. */
  readonly splitPackage?: DebugSections | undefined;
  /**
   * Of one `.dwo` file, sections by their names there (".debug_info.dwo"). Whether its DWO id is the skeleton's is for the caller to compare.
   * @param dwoName DW_AT_dwo_name or DW_AT_GNU_dwo_name @param compilationFolder DW_AT_comp_dir
   * @returns undefined when there is no such file, or when it is no object file
   */
  splitFile?(dwoName: string, compilationFolder: string): DebugSections | undefined;
}
