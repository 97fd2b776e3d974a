/** folded: a profile as one line a stack, for flame graph tools. Writes only. */
import { defineCodec } from '../../../core/index.js';
import { type FoldedOptions, foldedSchema } from '../../../schemas/gen/options/folded.js';

export const foldedCodec = defineCodec<FoldedOptions>({
  name: 'folded',
  version: '1.0.0',
  api: '^1.0.0',
  summary: 'folded stacks for flame graph tools, written only',
  schema: foldedSchema,
  decodes: false,
  encodes: true,
  extensions: ['.folded', '.collapsed'],
  create({ sample_type, addresses = true }) {
    return {
      async encode(profile, context) {
        const { encodeFolded } = await import('./encode.js');
        const { pieces, zeroStacks } = encodeFolded(profile, { sampleType: sample_type, addresses });
        if (zeroStacks > 0) context.count('zero_stacks_dropped', zeroStacks);
        return pieces;
      },
    };
  },
});
