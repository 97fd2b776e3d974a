/** The algebra of `aggregate`: what happens to a profile before it is added, in which merge it goes, and what is made of them. */
import {
  type AggregateContext,
  addProfile,
  checkAddable,
  checkPeriodType,
  finishMerges,
  type GroupResult,
  type ItemInfo,
  inputPlace,
  MergeState,
  type Profile,
  sampleTypesKey,
} from '../../../core/index.js';
import type { AggregateOptions } from '../../../schemas/gen/options/aggregate.js';
import { coarsen } from './granularity.js';
import type { GroupPart, Split } from './groups.js';
import { keepStacks } from './keep-stacks.js';
import {
  type AggregatePartial,
  addTime,
  type GroupPartial,
  groupKey,
  mergePartials,
  newGroup,
  restIfMany,
} from './partial.js';
import { checkPeriod, checkPeriods } from './periods.js';
import type { Weigh } from './weights.js';

/** The options, compiled. */
export interface Rules {
  readonly options: AggregateOptions;
  readonly weigh: Weigh | undefined;
  readonly split: Split | undefined;
}

/**
 * On a throw the partial is as it was: every part is checked before any is added.
 * @param samplesBefore of a profile in pieces: see `AggregatePieces`
 */
export function addToPartial(
  partial: AggregatePartial,
  profile: Profile,
  item: ItemInfo,
  rules: Rules,
  samplesBefore = 0,
): AggregatePartial {
  const { options, weigh, split } = rules;
  const weighed = weigh === undefined ? profile : weigh(profile, item);
  const coarse = coarsen(weighed, options.granularity);
  const parts: readonly GroupPart[] = split?.(coarse, item) ?? [{ fields: {}, endMs: undefined, profile: coarse }];
  const types = options.sample_types === 'strict' ? '' : sampleTypesKey(coarse);
  const targets = parts.map(({ fields, endMs }) => {
    const key = groupKey(fields);
    return { key, group: partial.get(key) ?? newGroup(fields, endMs) };
  });
  for (const { group } of targets) checkGroup(group, coarse, item.uri, options);
  for (const [index, { key, group }] of targets.entries()) {
    const known = group.merges.get(types);
    const merge = known?.merge ?? new MergeState();
    addProfile(merge, parts[index]!.profile, item, samplesBefore);
    const place = inputPlace(profile.timeNanos, item.digest);
    group.merges.set(types, { merge, first: known === undefined || place < known.first ? place : known.first });
    const { timeNanos: start, durationNanos: longest } = profile;
    addTime(group.time, { longest, start, end: start === 0n ? 0n : start + longest });
    partial.set(key, group);
    restIfMany(partial, group);
  }
  return partial;
}

function checkGroup(group: GroupPartial, profile: Profile, uri: string, options: AggregateOptions): void {
  for (const { merge } of group.merges.values()) {
    if (options.sample_types === 'strict') checkAddable(merge, profile, uri);
    else checkPeriodType(merge, profile, uri);
    if (options.periods === 'refuse') checkPeriod(merge, profile, uri);
  }
}

/** See `AggregatePieces`: what adding the whole looks at before anything is added is looked at here. */
export function joinPieces(
  partial: AggregatePartial,
  own: AggregatePartial,
  header: Profile,
  item: ItemInfo,
  rules: Rules,
): AggregatePartial {
  for (const key of own.keys()) {
    const known = partial.get(key);
    if (known !== undefined) checkGroup(known, header, item.uri, rules.options);
  }
  return mergeAggregates(partial, own, rules);
}

export function mergeAggregates(a: AggregatePartial, b: AggregatePartial, { options }: Rules): AggregatePartial {
  return mergePartials(a, b, (ofA, ofB) => {
    if (options.periods !== 'refuse') return;
    for (const { merge: one } of ofA.merges.values()) {
      for (const { merge: other } of ofB.merges.values()) checkPeriods(one, other);
    }
  });
}

/** A profile a group, in the order of their fields. */
export function* finishGroups(
  partial: AggregatePartial,
  { options }: Rules,
  context: AggregateContext,
): Generator<GroupResult> {
  const keys = [...partial.keys()].sort();
  for (const key of keys) {
    const group = partial.get(key)!;
    partial.delete(key);
    yield { group: group.fields, finish: () => finishGroup(group, options, context) };
  }
}

export function finishGroup(group: GroupPartial, options: AggregateOptions, context: AggregateContext): Profile {
  const how = options.sample_types === 'union' ? 'union' : 'intersect';
  const { profile, notes } = finishMerges([...group.merges.values()], how);
  if (notes.otherFramePatterns > 0) {
    context.count('other_frame_patterns', notes.otherFramePatterns);
    context.warn('frame_patterns_differ', 'drop_frames or keep_frames differ; those of the first profile were taken');
  }
  if (notes.profilesWithUnknownFields > 0) {
    context.count('profiles_with_unknown_fields', notes.profilesWithUnknownFields);
    context.warn('unknown_fields_dropped', 'fields that are not known cannot be merged and were left out');
  }
  const timed = { ...profile, durationNanos: durationOf(profile, group, options.durations) };
  if (options.keep === undefined) return timed;
  const kept = keepStacks(timed, options.keep.stacks, options.keep.sample_type);
  context.count('stacks_in_other', kept.foldedStacks);
  return kept.profile;
}

function durationOf(profile: Profile, { time }: GroupPartial, rule: AggregateOptions['durations']): bigint {
  if (rule === 'longest') return time.longest;
  return rule === 'span' && time.start !== 0n ? time.end - time.start : profile.durationNanos;
}
