/**
 * What the readers of call frame information take: one section's bytes and how to understand addresses in it.
 * Addresses are object addresses: numbers relative to `imageBase` (see core/binary/binary.ts).
 */

import type { FormatError } from '../errors.js';

export interface CfiSection {
  /** ".eh_frame" or ".debug_frame": they differ in how entries refer to each other. */
  readonly name: string;
  readonly isEhFrame: boolean;
  readonly bytes: Uint8Array;
  /** Object address of the first byte; of .debug_frame, which is not loaded, 0. */
  readonly objectAddress: number;
  readonly imageBase: bigint;
  /** Where the section's size is not known: a length of 0 ends it. Else linkers leave some in the middle. */
  readonly endsAtTerminator?: boolean;
  /** What text-relative and data-relative pointers count from: object addresses; undefined where the file has no such thing. */
  readonly textBase?: number | undefined;
  readonly dataBase?: number | undefined;
}

/** All call frame information of a file. */
export interface FrameSections {
  /** In the order in which they are asked for a pc. */
  readonly sections: readonly CfiSection[];
  /**
   * Only of a file that has a section for each function: those of the function at an object address, the same ones each time.
   * @throws FormatError where they cannot be read
   */
  readonly sectionsAt?: (objectAddress: number) => readonly CfiSection[];
  /** Of sections that are there and cannot be read. */
  readonly faults: readonly FormatError[];
}

export const noFrameSections: FrameSections = { sections: [], faults: [] };
