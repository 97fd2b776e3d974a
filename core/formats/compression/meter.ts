/** Counts what decompression gives, while it gives it: the guard against bombs. */
import { FormatError } from '../errors.js';
import type { Budget } from '../limits.js';

/** Below this much output the ratio says nothing: small profiles of one stack compress very well. */
export const RATIO_FREE_BYTES = 16 * 2 ** 20;

export class OutputMeter {
  readonly #budget: Budget;
  readonly #section: string;
  #total = 0;

  constructor(budget: Budget, section: string) {
    this.#budget = budget;
    this.#section = section;
  }

  /**
   * @param outputBytes given by the decompressor now
   * @param inputOffset compressed bytes used so far
   * @throws FormatError E_DECOMPRESSED_LIMIT
   */
  add(outputBytes: number, inputOffset: number): void {
    this.#total += outputBytes;
    const { decompressedBytes, decompressionRatio } = this.#budget.limits;
    if (this.#total > decompressedBytes) {
      throw this.#exceeded('over the limit decompressedBytes', inputOffset, this.#total, decompressedBytes);
    }
    if (this.#total > RATIO_FREE_BYTES && this.#total > inputOffset * decompressionRatio) {
      const ratio = Math.floor(this.#total / Math.max(1, inputOffset));
      throw this.#exceeded('over the limit decompressionRatio', inputOffset, ratio, decompressionRatio);
    }
  }

  #exceeded(message: string, offset: number, got: number, limit: number): FormatError {
    return new FormatError('E_DECOMPRESSED_LIMIT', message, { section: this.#section, offset, got, limit });
  }
}
