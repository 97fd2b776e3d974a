/**
 * Adds a sample type, cost/nanodollars: CPU time times the price of a core hour. Machines that a label names may have prices of their own.
 * Takes profiles with a sample type in nanoseconds, such as Go's cpu/nanoseconds; others pass as they are, and are counted.
 */
import { addSampleType, defineStage, type OptionsOf, stringAt } from 'profpipe';

const schema = {
  type: 'object',
  additionalProperties: false,
  required: ['dollars_per_core_hour'],
  properties: {
    dollars_per_core_hour: { type: 'number', minimum: 0, description: 'Where no other price holds.' },
    label: { type: 'string', default: 'machine', description: 'Key of the label that names the kind of machine.' },
    prices: {
      type: 'object',
      additionalProperties: { type: 'number', minimum: 0 },
      default: {},
      description: 'Dollars per core hour by the text of that label.',
    },
  },
} as const;

const HOUR_SECONDS = 3_600;

export default defineStage<OptionsOf<typeof schema>>({
  name: 'cost',
  version: '0.1.0',
  api: '^1.0.0',
  summary: 'adds what CPU time costs as a sample type',
  schema,
  create({ dollars_per_core_hour: usual, label, prices }) {
    // From an object's own keys only: a label may say "constructor".
    const priceOf = new Map(Object.entries(prices));
    return {
      process(profile, context) {
        const time = profile.sampleTypes.findIndex(({ unit }) => stringAt(profile.strings, unit) === 'nanoseconds');
        if (time < 0) {
          context.count('profiles_without_time');
          return profile;
        }
        return addSampleType(profile, { type: 'cost', unit: 'nanodollars' }, (sample) => {
          const price = priceOf.get(sample.label(label) ?? '') ?? usual;
          return Math.round((sample.value(time) / HOUR_SECONDS) * price);
        });
      },
    };
  },
});
