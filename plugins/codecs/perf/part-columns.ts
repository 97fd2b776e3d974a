/** The samples of one part of a recording, as columns. */
import type { CaptureTable } from '../../../core/index.js';

export interface PartColumns {
  readonly length: number;
  /** As `SampleTable` has them. */
  readonly stackStart: Uint32Array;
  readonly stackLocations: Uint32Array;
  readonly values: BigInt64Array;
  /** By sample: row of its thread, its processor (−1: not known), row of its event. */
  readonly threads: Uint32Array;
  readonly processors: Int32Array;
  readonly events: Uint32Array;
  /** Absent where no sample has any. The spaces are told one by one. */
  readonly captures?: Omit<CaptureTable, 'spaces'> | undefined;
}
