/**
 * aggregate: all profiles as one. Profiles of the same sample types go in, one profile comes out: equal stacks with equal labels are
 * one sample, with the sum of the values. What is equal is google/pprof's; the order of arrival never shows.
 */
import {
  addProfile,
  combineMerges,
  decodeMerge,
  defineAggregate,
  encodeMerge,
  finishMerge,
  MergeState,
} from '../../../core/index.js';
import { type AggregateOptions, aggregateSchema } from '../../../schemas/gen/options/aggregate.js';
import { checkPeriod, checkPeriods } from './periods.js';

export const aggregate = defineAggregate<AggregateOptions, MergeState>({
  name: 'aggregate',
  version: '1.0.0',
  api: '^1.0.0',
  summary: 'merges profiles of the same sample types into one',
  schema: aggregateSchema,
  create: ({ periods }) => ({
    empty: () => new MergeState(),
    add(state, profile, item) {
      if (periods === 'refuse') checkPeriod(state, profile, item.uri);
      addProfile(state, profile, item);
      return state;
    },
    merge(a, b) {
      if (periods === 'refuse') checkPeriods(a, b);
      return combineMerges(a, b);
    },
    encode: encodeMerge,
    decode: decodeMerge,
    finish(state, context) {
      const { profile, notes } = finishMerge(state);
      if (notes.otherFramePatterns > 0) {
        context.count('other_frame_patterns', notes.otherFramePatterns);
        context.warn(
          'frame_patterns_differ',
          'drop_frames or keep_frames differ; those of the first profile were taken',
        );
      }
      if (notes.profilesWithUnknownFields > 0) {
        context.count('profiles_with_unknown_fields', notes.profilesWithUnknownFields);
        context.warn('unknown_fields_dropped', 'fields that are not known cannot be merged and were left out');
      }
      return profile;
    },
  }),
});
