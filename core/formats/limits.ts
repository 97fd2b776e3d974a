/** Limits that keep hostile bytes from taking the machine. Every parser takes a Budget; every limit is named in its error. */
import { FormatError, type FormatErrorPlace } from './errors.js';

/** Defaults; a pipeline's `limits:` overrides any of them. Bytes unless the name says otherwise. */
export const defaultLimits = {
  /** One input file. */
  fileBytes: 2 ** 30,
  /** One input, after decompression. */
  decompressedBytes: 2 ** 30,
  /** Decompressed : compressed, looked at beyond 16 MiB. */
  decompressionRatio: 300,
  stringBytes: 2 ** 20,
  tableRows: 2 ** 24,
  labelsPerSample: 1_000,
  stackDepth: 4_096,
  elfSections: 65_536,
  /** One section or table of an executable, read whole. */
  objectTableBytes: 2 ** 28,
  /** Compressed sections of one executable that are in memory at a time, decompressed. */
  decompressedSectionBytes: 2 ** 28,
  inlineDepth: 128,
  /** Heap of one worker. */
  threadHeapBytes: 2 ** 32,
  /** Resident memory of the process; never more than 80 % of the machine's. */
  processBytes: 2 ** 50,
  /** Steps of a walk whose length the input controls (pc-value tables, control-flow walks). */
  steps: 2 ** 26,
} as const;

export type LimitName = keyof typeof defaultLimits;
export type Limits = { readonly [K in LimitName]: number };

/** Limits, and what has been used of the ones that add up over an item. */
export class Budget {
  readonly limits: Limits;
  #used = new Map<LimitName, number>();

  constructor(limits: Partial<Limits> = {}) {
    this.limits = { ...defaultLimits, ...limits };
  }

  /** Adds to what was used. @throws FormatError E_LIMIT when that is more than the limit */
  spend(limit: LimitName, amount: number, place?: FormatErrorPlace): void {
    const used = (this.#used.get(limit) ?? 0) + amount;
    this.#used.set(limit, used);
    if (used > this.limits[limit]) this.#exceeded(limit, used, place);
  }

  /** Compares one amount with the limit, without adding up. @throws FormatError E_LIMIT */
  check(limit: LimitName, amount: number, place?: FormatErrorPlace): void {
    if (amount > this.limits[limit]) this.#exceeded(limit, amount, place);
  }

  #exceeded(limit: LimitName, got: number, place?: FormatErrorPlace): never {
    throw new FormatError('E_LIMIT', `over the limit ${limit}`, { ...place, got, limit: this.limits[limit] });
  }
}
