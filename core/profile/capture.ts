/**
 * What a sampler captured of user stacks, to be unwound: columns beside the samples, which have no callers yet. Plain data like all of
 * a profile. A table of samples that is made anew (filtered, merged) has no captures: `unwind` must come first.
 */

/** One process' code at a moment, in order of address: what an address belongs to. */
export interface AddressSpace {
  /** Runtime addresses: [start, end). */
  readonly starts: Float64Array;
  readonly ends: Float64Array;
  /** Mapping rows of the profile. */
  readonly mapping: Uint32Array;
}

export interface CaptureTable {
  readonly architecture: 'amd64' | 'arm64';
  /** By sample: row of `spaces`, or NO_ROW where nothing was captured. */
  readonly space: Uint32Array;
  readonly spaces: readonly AddressSpace[];
  /**
   * By sample, `registersPerSample` each, by DWARF number, the pc last (amd64: 0 … 15, pc; arm64: x0 … x30, sp, pc). NaN: not captured.
   * Exact up to 2^53: addresses of user space are.
   */
  readonly registers: Float64Array;
  /** By sample: the bytes from the stack pointer up; empty where nothing was captured. */
  readonly stacks: readonly Uint8Array[];
}

export const registersPerSample = { amd64: 17, arm64: 33 } as const;
