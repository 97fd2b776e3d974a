/** The result of a merge: see kernels/merge/finish.ts for its order. The main mapping is first. */
import { FormatError } from '../../formats/errors.js';
import type { Profile } from '../profile.js';
import {
  finishFunctions,
  finishLocations,
  finishMappings,
  finishSamples,
  finishStrings,
  orderSamples,
} from './finish-tables.js';
import type { MergeState } from './state.js';

const INT64_MIN = -(2n ** 63n);
const INT64_MAX = 2n ** 63n - 1n;

/** What was lost or decided, for the run's summary. */
export interface MergeNotes {
  /** Inputs whose drop_frames or keep_frames are not those of the result. */
  readonly otherFramePatterns: number;
  readonly profilesWithUnknownFields: number;
}

/** The state is used up. @throws FormatError E_OVERFLOW when a sum is no int64 */
export function finishMerge(state: MergeState): { readonly profile: Profile; readonly notes: MergeNotes } {
  const { header } = state;
  const kernel = state.kernel();
  const { exports } = kernel;
  checkOverflow(state);
  const { types, frames, mainMapping } = header;
  const typeCount = types?.sampleTypes.length ?? 0;
  orderSamples(kernel, typeCount);
  exports.beginFinish();
  const string = (row: number) => exports.numberString(row);
  string(0);
  const rows = (types?.rows ?? []).map(({ type, unit }) => ({ type: string(type), unit: string(unit) }));
  if (mainMapping !== undefined) exports.numberMapping(mainMapping.value);
  // Each table numbers the rows of those that come behind it.
  const samples = finishSamples(kernel, typeCount);
  const locations = finishLocations(kernel);
  const functions = finishFunctions(kernel);
  const mappings = finishMappings(kernel);
  const comments = [...header.comments].sort(exports.compareStrings).map(string);
  const profile = {
    sampleTypes: rows.slice(0, typeCount),
    samples,
    locations,
    functions,
    mappings,
    periodType: types?.hasPeriodType === true ? rows[typeCount] : undefined,
    period: header.period,
    timeNanos: header.timeNanos,
    durationNanos: header.durationNanos,
    comments: Uint32Array.from(comments),
    defaultSampleType: string(header.defaultSampleType?.value ?? 0),
    dropFrames: string(frames?.value.drop ?? 0),
    keepFrames: string(frames?.value.keep ?? 0),
    docUrl: string(header.docUrl?.value ?? 0),
  };
  const pattern = `${frames?.value.drop ?? 0} ${frames?.value.keep ?? 0}`;
  const notes = {
    otherFramePatterns: exports.inputCount() - (header.patternCounts.get(pattern) ?? 0),
    profilesWithUnknownFields: header.profilesWithUnknownFields,
  };
  const strings = finishStrings(kernel);
  state.end();
  return { profile: { ...profile, strings }, notes };
}

function checkOverflow(state: MergeState): void {
  const { header } = state;
  const kernel = state.kernel();
  const types = header.types?.sampleTypes ?? [];
  for (const [value, times] of kernel.turns) {
    const type = types[value % types.length] ?? '';
    const [wrapped] = kernel.view(BigInt64Array, kernel.exports.sumAt(value, types.length), 1);
    const got = wrapped! + BigInt(times) * 2n ** 64n;
    throw overflow(`sum of ${type.replace(' ', '/')} over the merged samples of one stack`, got);
  }
  const { durationNanos } = header;
  if (durationNanos < INT64_MIN || durationNanos > INT64_MAX) throw overflow('sum of duration_nanos', durationNanos);
}

function overflow(message: string, got: bigint): FormatError {
  return new FormatError('E_OVERFLOW', `${message} is no int64`, { section: 'Profile', got });
}
