/**
 * fold: a profile in, the same samples out, without the frames of libraries at the leaf: what the runtime and the standard library
 * cost is the cost of the first function outside that called them. Needs function names.
 */
import { defineStage } from '../../../core/index.js';
import { type FoldOptions, foldSchema } from '../../../schemas/gen/options/fold.js';

export const foldStage = defineStage<FoldOptions>({
  name: 'fold',
  version: '1.0.0',
  api: '^1.0.0',
  summary: 'gives the cost of runtime and library frames to the first caller outside',
  schema: foldSchema,
  checkOptions: async (options) => (await import('./folded-functions.js')).foldProblems(options),
  async create(options) {
    const { foldedFunctions } = await import('./folded-functions.js');
    const { foldLibraries } = await import('./fold.js');
    const isFolded = await foldedFunctions(options);
    return {
      process(profile, context) {
        const folded = foldLibraries(profile, isFolded, options.everywhere ? 'everywhere' : 'leaf');
        context.count('samples_folded', folded.foldedSamples);
        context.count('samples_without_caller', folded.samplesWithoutCaller);
        return folded.profile;
      },
    };
  },
});
