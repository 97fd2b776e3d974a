/** How many workers decode one input together. */
import type { Plan } from '../../config/plan.js';
import type { Source } from '../contract/plugin.js';
import type { Registry } from '../plugins/registry.js';

/**
 * A share of this many bytes is worth a worker more. It takes as long to start, and to be compiled for the same loops, as one worker takes
 * for a file of that size, while each reads the whole file.
 */
const WORTH_BYTES = 96 * 2 ** 20;
/** Where the number of workers was asked for. */
const ASKED_BYTES = 32 * 2 ** 20;

/** @param lanes workers at hand @returns more than 1 when there are fewer inputs than lanes, large ones, of a codec that shares parts */
export function sharesPerItem(
  plan: Plan,
  registry: Registry,
  source: Source,
  lanes: number,
  areAsked: boolean,
): number {
  const { count = Number.POSITIVE_INFINITY, totalBytes = 0 } = source;
  if (count === 0) return 1;
  const codecs = registry.codecs().filter(({ name }) => (plan.inputCodec?.plugin ?? name) === name);
  if (!codecs.some(({ sharesParts }) => sharesParts === true)) return 1;
  const shareBytes = areAsked ? ASKED_BYTES : WORTH_BYTES;
  return Math.max(1, Math.floor(Math.min(lanes / count, totalBytes / count / shareBytes)));
}
