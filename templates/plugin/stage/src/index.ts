/** Drops the samples that have a label. Takes any profile; what stays is as it was. */
import { defineStage, filterSamples, type OptionsOf } from 'profpipe';

const schema = {
  type: 'object',
  additionalProperties: false,
  required: ['label'],
  properties: {
    label: { type: 'string', minLength: 1, description: 'Key of the label.' },
    values: {
      type: 'array',
      items: { type: 'string' },
      default: [],
      description: 'Drop only samples whose label has one of these texts; all that have it when empty.',
    },
  },
} as const;

export default defineStage<OptionsOf<typeof schema>>({
  name: 'NAME',
  version: '0.1.0',
  api: '^1.0.0',
  summary: 'drops the samples that have a label',
  schema,
  create({ label, values }) {
    return {
      process(profile, context) {
        const kept = filterSamples(profile, (sample) => {
          const text = sample.label(label);
          return text === undefined || (values.length > 0 && !values.includes(text));
        });
        context.count('samples_dropped', profile.samples.length - kept.samples.length);
        return kept;
      },
    };
  },
});
