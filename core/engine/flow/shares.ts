/** How many workers decode one input together, and whether one is worth its start. */
import type { Plan } from '../../config/plan.js';
import type { CodecPlugin, Source } from '../contract/plugin.js';
import type { Registry } from '../plugins/registry.js';

/**
 * A share of this many bytes is worth a worker more. It takes as long to start, and to be compiled for the same loops, as one worker takes
 * for a file of that size, while each reads the whole file.
 */
const WORTH_BYTES = 96 * 2 ** 20;
/** Where the number of workers was asked for. */
const ASKED_BYTES = 32 * 2 ** 20;
/** A timeout shorter than this is there to be kept. */
const LONG_MS = 60_000;

/** @param lanes workers at hand @returns more than 1 when there are fewer inputs than lanes, large ones, of a codec that shares parts */
export function sharesPerItem(
  plan: Plan,
  registry: Registry,
  source: Source,
  lanes: number,
  areAsked: boolean,
): number {
  const { count = Number.POSITIVE_INFINITY, totalBytes = 0 } = source;
  if (count === 0 || !codecsOf(plan, registry).some(isInParts)) return 1;
  const shareBytes = areAsked ? ASKED_BYTES : WORTH_BYTES;
  return Math.max(1, Math.floor(Math.min(lanes / count, totalBytes / count / shareBytes)));
}

/**
 * Whether the source is one input that one worker would decode alone, in parts: this thread is far into it before a worker has started, its
 * memory does not grow with the input, and signals are heard between two pieces. Only a worker can be held to a timeout.
 *
 * @param areAsked whether a number of workers was asked for: that is nothing to a stream (of an unknown size), which no worker can read
 */
export function isOneInParts(
  plan: Plan,
  registry: Registry,
  { count, totalBytes }: Source,
  areAsked: boolean,
): boolean {
  if (count !== 1 || (totalBytes !== undefined && (areAsked || totalBytes >= 2 * WORTH_BYTES))) return false;
  return plan.timeoutMs >= LONG_MS && codecsOf(plan, registry).every(isInParts);
}

/** Those that may decode the inputs. */
function codecsOf(plan: Plan, registry: Registry): readonly CodecPlugin[] {
  return registry.codecs().filter(({ name }) => (plan.inputCodec?.plugin ?? name) === name);
}

const isInParts = ({ sharesParts }: CodecPlugin): boolean => sharesParts === true;
