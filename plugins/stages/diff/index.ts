/**
 * diff: a profile in, what it has more (and, negative, less) than a base profile out, as `pprof -base` and `-diff_base` mean it. The base
 * is read once, when the pipeline starts.
 */
import { defineStage } from '../../../core/index.js';
import { type DiffOptions, diffSchema } from '../../../schemas/gen/options/diff.js';

export const diffStage = defineStage<DiffOptions>({
  name: 'diff',
  version: '1.0.0',
  api: '^1.0.0',
  summary: 'takes a base profile off each profile (-base, -diff_base, -normalize)',
  schema: diffSchema,
  async create({ base: path, mode, normalize }, context) {
    const { subtractProfile } = await import('../../../core/index.js');
    const base = await context.readProfile(path);
    return { process: (profile) => subtractProfile(profile, base, { keepsBase: mode === 'diff_base', normalize }) };
  },
});
