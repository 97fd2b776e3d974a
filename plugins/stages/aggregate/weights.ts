/** How much each input counts: `normalize`, then `scale`. */
import {
  compilePattern,
  type ItemInfo,
  type OptionProblem,
  type Profile,
  scaleValues,
  UsageError,
  valueSums,
} from '../../../core/index.js';
import type { AggregateOptions } from '../../../schemas/gen/options/aggregate.js';

/** An input's values as they count. */
export type Weigh = (profile: Profile, item: Pick<ItemInfo, 'uri'>) => Profile;

/** @returns undefined where every input counts as it is @throws UsageError E_PATTERN */
export async function compileWeights({ scale, normalize }: AggregateOptions): Promise<Weigh | undefined> {
  if (scale === undefined && normalize === undefined) return undefined;
  const weightOf = await compileScale(scale ?? 1);
  return (profile, { uri }) => {
    const weight = weightOf(uri);
    const sums = normalize === undefined ? undefined : valueSums(profile).map(Number);
    const factor = (type: number) =>
      sums === undefined ? weight : sums[type] === 0 ? 0 : (weight * normalize!) / sums[type]!;
    return scaleValues(
      profile,
      profile.sampleTypes.map((_, type) => factor(type)),
    );
  };
}

async function compileScale(scale: NonNullable<AggregateOptions['scale']>): Promise<(uri: string) => number> {
  if (typeof scale === 'number') return () => scale;
  const rules = await Promise.all(
    scale.map(async ({ input, weight }, index) => ({
      pattern: (await compilePattern(['scale', index, 'input'], input))!,
      weight,
    })),
  );
  return (uri) => rules.find(({ pattern }) => pattern.test(uri))?.weight ?? 1;
}

export async function weightProblems(options: AggregateOptions): Promise<OptionProblem[]> {
  try {
    await compileWeights(options);
    return [];
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    return [{ path: error.option, message: error.message }];
  }
}
