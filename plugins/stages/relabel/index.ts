/**
 * relabel: a profile in, the same samples out, with fewer labels, under other keys, and with numbers as buckets. In front of `aggregate`
 * it decides which samples are alike: labels that are unique to a request make nearly every sample one of its own.
 */
import { defineStage } from '../../../core/index.js';
import { type RelabelOptions, relabelSchema } from '../../../schemas/gen/options/relabel.js';

export const relabelStage = defineStage<RelabelOptions>({
  name: 'relabel',
  version: '1.0.0',
  api: '^1.0.0',
  summary: 'keeps, drops and renames labels, and puts numbers into buckets',
  schema: relabelSchema,
  checkOptions: async (options) => (await import('./buckets.js')).bucketProblems(options),
  async create(options) {
    const { relabel } = await import('./relabel.js');
    return {
      process(profile, context) {
        const relabelled = relabel(profile, options);
        context.count('labels_dropped', profile.samples.labels.length - relabelled.samples.labels.length);
        return relabelled;
      },
    };
  },
});
