/**
 * anonymize: a profile in, one of the same shape and weight out, without the names of a program's own functions, files and labels: to be
 * given away. What the shape itself tells stays told.
 */
import { defineStage } from '../../../core/index.js';
import { type AnonymizeOptions, anonymizeSchema } from '../../../schemas/gen/options/anonymize.js';

export const anonymizeStage = defineStage<AnonymizeOptions>({
  name: 'anonymize',
  version: '1.0.0',
  api: '^1.0.0',
  summary: 'replaces names of functions, files and label values by tokens, and drops addresses',
  schema: anonymizeSchema,
  checkOptions: async (options) => (await import('./anonymize.js')).anonymizeProblems(options),
  async create(options) {
    const { anonymize, compileKept } = await import('./anonymize.js');
    const isKept = await compileKept(options);
    return {
      process: (profile) => anonymize(profile, { isKept, key: options.key, labels: options.labels }),
    };
  },
});
