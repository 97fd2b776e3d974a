/** Where a recording is cut into parts: at the same samples for whoever makes profiles of a share of them. */
import type { Share } from '../../../core/index.js';
import type { CodeMapping } from './space.js';

/** A part is full when it has one of these. */
const FULL = { samples: 8192, values: 1 << 18, stackBytes: 8 * 2 ** 20, mappings: 1 << 20 } as const;

export class PartCutter {
  readonly #share: Share;
  readonly #fullSamples: number;
  #number = 0;
  #samples = 0;
  #stackBytes = 0;
  #mappings = 0;
  readonly #spaces = new Set<readonly CodeMapping[]>();

  constructor(share: Share, sampleTypes: number) {
    this.#share = share;
    this.#fullSamples = Math.min(FULL.samples, Math.ceil(FULL.values / sampleTypes));
  }

  /** Whether the current part is of the share. */
  get isOwn(): boolean {
    return this.#number % this.#share.of === this.#share.index;
  }

  /** Counts a sample into the current part. @returns whether that is full now: the next sample begins another one */
  add(mappings: readonly CodeMapping[], stackBytes: number): boolean {
    this.#samples++;
    this.#stackBytes += stackBytes;
    if (!this.#spaces.has(mappings)) {
      this.#spaces.add(mappings);
      this.#mappings += mappings.length;
    }
    const isFull =
      this.#samples >= this.#fullSamples || this.#stackBytes >= FULL.stackBytes || this.#mappings >= FULL.mappings;
    if (!isFull) return false;
    this.#number++;
    this.#samples = 0;
    this.#stackBytes = 0;
    this.#mappings = 0;
    this.#spaces.clear();
    return true;
  }
}
