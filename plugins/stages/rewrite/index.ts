/**
 * rewrite: a profile in, the same one out, with other paths of source files and mapped files, and other function names. Two builds in
 * different folders become alike that way.
 */
import { defineStage } from '../../../core/index.js';
import { type RewriteOptions, rewriteSchema } from '../../../schemas/gen/options/rewrite.js';

export const rewriteStage = defineStage<RewriteOptions>({
  name: 'rewrite',
  version: '1.0.0',
  api: '^1.0.0',
  summary: 'rewrites paths of source and mapped files, and function names',
  schema: rewriteSchema,
  checkOptions: async (options) => (await import('./rewrite.js')).rewriteProblems(options),
  async create(options) {
    const { compileRules } = await import('./rewrite.js');
    const { mapTexts } = await import('../../../core/index.js');
    const maps = await compileRules(options);
    return { process: (profile) => mapTexts(profile, maps) };
  },
});
