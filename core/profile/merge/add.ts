/** Adds one profile to a merge. */
import type { Profile } from '../profile.js';
import { checkCompatible, earlier, earliestTime, typesOf } from './header.js';
import { inputWords } from './inputs.js';
import type { AddedRows, Word } from './kernel.js';
import type { MergeState } from './state.js';

export interface MergeInput {
  /** For messages. */
  readonly uri: string;
  readonly digest: Uint8Array;
}

/**
 * @param samplesBefore of a profile that comes in pieces: samples in those before this one, which are all that was added to the state
 * @throws FormatError E_INCOMPATIBLE, or E_LIMIT for lack of memory; then the state is as it was
 */
export function addProfile(state: MergeState, profile: Profile, from: MergeInput, samplesBefore = 0): void {
  const types = typesOf(profile, from.uri);
  if (state.header.types !== undefined) checkCompatible(state.header.types, types);
  const kernel = state.kernel();
  const { exports } = kernel;
  const isFurther = samplesBefore > 0 && state.header.types !== undefined;
  const input = isFurther ? undefined : inputWords(profile.timeNanos, from.digest);
  const words = [input, samplesBefore, ...profileWords(profile)];
  kernel.addWords(words, exports.addProfile, (rows) => {
    if (!isFurther) addHeader(state, profile, types, rows);
  });
}

/** All but the first two of `ProfileColumns` in kernels/merge/profile.ts. */
function profileWords({ strings, functions, mappings, locations, samples, sampleTypes }: Profile): Word[] {
  const { lines } = locations;
  const { labels } = samples;
  return [
    ...[strings.length, strings.bytes, strings.starts],
    ...[functions.length, functions.name, functions.systemName, functions.filename, functions.startLine],
    ...[mappings.length, mappings.memoryStart, mappings.memoryLimit, mappings.fileOffset],
    ...[mappings.filename, mappings.buildId, mappings.flags],
    ...[locations.length, locations.mapping, locations.address, locations.isFolded, locations.lineStart],
    ...[lines.function, lines.line, lines.column],
    ...[samples.length, sampleTypes.length, samples.stackStart, samples.stackLocations, samples.values],
    ...[samples.labelStart, labels.key, labels.str, labels.num, labels.numUnit],
  ];
}

function addHeader(
  state: MergeState,
  profile: Profile,
  types: ReturnType<typeof typesOf>,
  { strings, mappings }: AddedRows,
): void {
  const { header } = state;
  const { compareInputs, inputCount } = state.kernel().exports;
  const input = inputCount() - 1;
  const isFirst = header.types === undefined;
  header.types ??= {
    ...types,
    rows: [...profile.sampleTypes, profile.periodType ?? { type: 0, unit: 0 }].map(({ type, unit }) => ({
      type: strings[type]!,
      unit: strings[unit]!,
    })),
  };
  if (types.hasPeriodType && !header.types.hasPeriodType) header.types = { ...header.types, hasPeriodType: true };
  if (isFirst || profile.period > header.period) header.period = profile.period;
  header.timeNanos = earliestTime(header.timeNanos, profile.timeNanos);
  header.durationNanos += profile.durationNanos;
  for (const comment of profile.comments) header.comments.add(strings[comment]!);
  const named = (row: number) => (strings[row] === 0 ? undefined : { input, value: strings[row]! });
  header.defaultSampleType = earlier(compareInputs, header.defaultSampleType, named(profile.defaultSampleType));
  header.docUrl = earlier(compareInputs, header.docUrl, named(profile.docUrl));
  const value = { drop: strings[profile.dropFrames]!, keep: strings[profile.keepFrames]! };
  header.frames = earlier(compareInputs, header.frames, { input, value });
  const pattern = `${value.drop} ${value.keep}`;
  header.patternCounts.set(pattern, (header.patternCounts.get(pattern) ?? 0) + 1);
  if (profile.mappings.length > 0) {
    header.mainMapping = earlier(compareInputs, header.mainMapping, { input, value: mappings[0]! });
  }
  if (profile.unknown !== undefined) header.profilesWithUnknownFields++;
}
