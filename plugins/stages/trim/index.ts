/**
 * trim: a profile in, the smallest one out that still has most of its weight, for `go build -pgo`: one value a sample, no labels, no
 * addresses, only the heaviest stacks. Needs names, lines and start lines.
 */
import { defineStage } from '../../../core/index.js';
import { type TrimOptions, trimSchema } from '../../../schemas/gen/options/trim.js';

export const trimStage = defineStage<TrimOptions>({
  name: 'trim',
  version: '1.0.0',
  api: '^1.0.0',
  summary: 'keeps the heaviest stacks only, as profile for `go build -pgo`',
  schema: trimSchema,
  async create(options) {
    const { trimProfile } = await import('./trim.js');
    return {
      process(profile, context) {
        const trimmed = trimProfile(profile, options.percent / 100, options.sample_type);
        context.count('stacks_dropped', trimmed.droppedStacks);
        if (!trimmed.hasStartLines && trimmed.profile.samples.length > 0) {
          context.warn(
            'no_start_lines',
            'functions have no start lines; `go build -pgo` needs them (Go 1.20 and later write them)',
          );
        }
        return trimmed.profile;
      },
    };
  },
});
