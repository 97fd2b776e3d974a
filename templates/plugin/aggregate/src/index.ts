/** Sums the values of all profiles by function: one sample each, of the values of the samples that it is the leaf of. */
import { defineAggregate, forEachSample, type OptionsOf, ProfileBuilder, stringAt } from 'profpipe';

const schema = {
  type: 'object',
  additionalProperties: false,
  properties: {
    least: {
      type: 'integer',
      minimum: 0,
      default: 0,
      description: 'Leave out functions whose values are all below it.',
    },
  },
} as const;

/** Sums by "type/unit", a NUL, and the function's name. */
type Sums = Map<string, bigint>;

export default defineAggregate<OptionsOf<typeof schema>, Sums>({
  name: 'NAME',
  version: '0.1.0',
  api: '^1.0.0',
  summary: 'sums the values of all profiles by function',
  schema,
  create({ least }) {
    return {
      empty: () => new Map(),
      add(sums, profile) {
        const { strings, sampleTypes } = profile;
        const types = sampleTypes.map(({ type, unit }) => `${stringAt(strings, type)}/${stringAt(strings, unit)}`);
        forEachSample(profile, (sample) => {
          let leaf = '';
          sample.eachFrame('leaf-first', (functionRow) => {
            leaf = sample.functionName(functionRow);
            return false;
          });
          for (const [index, type] of types.entries()) {
            const key = `${type}\0${leaf}`;
            sums.set(key, (sums.get(key) ?? 0n) + sample.bigValue(index));
          }
        });
        return sums;
      },
      merge(a, b) {
        for (const [key, value] of b) a.set(key, (a.get(key) ?? 0n) + value);
        return a;
      },
      // As bytes, since it crosses threads.
      encode(sums) {
        const entries = [...sums].map(([key, value]) => [key, String(value)]);
        return [new TextEncoder().encode(JSON.stringify(entries))];
      },
      decode(pieces) {
        const sums = new Map();
        const text = Buffer.concat(pieces).toString('utf8');
        for (const [key, value] of JSON.parse(text)) sums.set(key, BigInt(value));
        return sums;
      },
      // Sorted, so that neither the order of the inputs nor the number of workers shows.
      finish(sums) {
        const keys = [...sums.keys()].sort().map((key) => key.split('\0'));
        const types = [...new Set(keys.map(([type = '']) => type))];
        const builder = new ProfileBuilder({
          sampleTypes: types.map((type) => ({ type: type.split('/')[0] ?? '', unit: type.split('/')[1] ?? '' })),
        });
        for (const name of new Set(keys.map(([, leaf = '']) => leaf).sort())) {
          const values = types.map((type) => sums.get(`${type}\0${name}`) ?? 0n);
          if (values.every((value) => value < least)) continue;
          const location = builder.location({ lines: [{ function: builder.function({ name }), line: 0 }] });
          builder.addSample({ stack: [location], values });
        }
        return builder.finish();
      },
    };
  },
});
