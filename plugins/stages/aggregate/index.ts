/**
 * aggregate: many profiles as one, or as one a group. Equal stacks with equal labels are one sample, with the sum of the values. What is
 * equal is google/pprof's, unless options say otherwise; the order of arrival never shows.
 */
import { type Aggregate, defineAggregate } from '../../../core/index.js';
import { type AggregateOptions, aggregateSchema } from '../../../schemas/gen/options/aggregate.js';
import { addToPartial, finishGroup, finishGroups, joinPieces, mergeAggregates } from './aggregation.js';
import { compileGroups, groupFields, groupProblems } from './groups.js';
import { parseBytes } from './memory.js';
import { type AggregatePartial, decodePartial, encodePartial, newGroup, sizeOfPartial, takeEnded } from './partial.js';
import { compileWeights, weightProblems } from './weights.js';
import { endsOf, windowProblems, windowRules } from './windows.js';

export const aggregate = defineAggregate<AggregateOptions, AggregatePartial>({
  name: 'aggregate',
  version: '1.1.0',
  api: '^1.0.0',
  summary: 'merges profiles into one, or into one a group',
  schema: aggregateSchema,
  checkOptions: async (options) => [
    ...(await groupProblems(options)),
    ...windowProblems(options),
    ...(await weightProblems(options)),
  ],
  groupFields,
  memoryLimit: ({ memory }) => parseBytes(memory),
  windowRules,
  async create(options): Promise<Aggregate<AggregatePartial>> {
    const split = await compileGroups(options);
    const rules = { options, weigh: await compileWeights(options), split };
    return {
      empty: () => new Map(),
      add: (partial, profile, item) => addToPartial(partial, profile, item, rules),
      // How much a value of an input counts depends on the sum of all of them.
      ...(options.normalize !== undefined
        ? {}
        : {
            pieces: {
              add: (own, piece, item, samplesBefore) => addToPartial(own, piece, item, rules, samplesBefore),
              join: (partial, own, header, item) => joinPieces(partial, own, header, item, rules),
            },
          }),
      merge: (a, b) => mergeAggregates(a, b, rules),
      encode: encodePartial,
      decode: decodePartial,
      sizeOf: sizeOfPartial,
      finish: (partial, context) => finishGroup(partial.values().next().value ?? newGroup({}), options, context),
      ...(split === undefined ? {} : { finishGroups: (partial, context) => finishGroups(partial, rules, context) }),
      ...(options.every === undefined ? {} : { windows: { endsOf: endsOf(options), takeEnded } }),
    };
  },
});
