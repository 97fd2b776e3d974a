/** Buckets of numbers, named by their lower ends. */
import type { OptionProblem } from '../../../core/index.js';
import type { RelabelOptions } from '../../../schemas/gen/options/relabel.js';

export type Buckets = NonNullable<RelabelOptions['bucket']>[string];

/** Lower end of the bucket of a number. Those below 0 mirror those above: −5 is with −4 where 5 is with 4. */
export function lowerEnd(buckets: Buckets, value: bigint): bigint {
  if (value < 0n) return -lowerEnd(buckets, -value);
  if (buckets === 'powers-of-two') return value === 0n ? 0n : 1n << BigInt(value.toString(2).length - 1);
  if (typeof buckets === 'number') return value - (value % BigInt(buckets));
  return BigInt(buckets.findLast((end) => BigInt(end) <= value) ?? 0);
}

export function bucketProblems({ bucket = {} }: RelabelOptions): OptionProblem[] {
  return Object.entries(bucket).flatMap(([key, buckets]) => {
    if (!Array.isArray(buckets)) return [];
    const at = buckets.findIndex((end, index) => index > 0 && end <= buckets[index - 1]!);
    if (at < 0) return [];
    return [{ path: ['bucket', key, at], message: `ends must rise: ${buckets[at]} stands behind ${buckets[at - 1]}` }];
  });
}
