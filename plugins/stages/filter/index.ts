/**
 * filter: a profile in, the samples, frames and labels that the options name out. Works on names, so it belongs behind symbolize
 * for a profile that came without symbols.
 */
import { defineStage } from '../../../core/index.js';
import { type FilterOptions, filterSchema } from '../../../schemas/gen/options/filter.js';

export const filterStage = defineStage<FilterOptions>({
  name: 'filter',
  version: '1.0.0',
  api: '^1.0.0',
  summary: 'keeps or drops samples, frames and labels by name (focus, ignore, hide, show, tagfocus …)',
  schema: filterSchema,
  checkOptions: async (options) => (await import('./filter.js')).filterProblems(options),
  async create(options) {
    const { compileFilter, filterProfile } = await import('./filter.js');
    const filter = await compileFilter(options);
    return {
      process(profile, context) {
        const filtered = filterProfile(profile, filter);
        context.count('samples_dropped', filtered.droppedSamples);
        for (const option of filtered.unmatched) {
          context.warn('no_match', `filter: the expression of ${option} matches nothing`);
        }
        return filtered.profile;
      },
    };
  },
});
