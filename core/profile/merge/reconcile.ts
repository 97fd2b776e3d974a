/** Merges of different sample types as one profile: google/pprof's command line keeps the types that all have. */
import type { ValueTypeSpec } from '../edit/builder.js';
import { selectSampleTypes } from '../edit/sample-edits.js';
import { type Profile, stringAt } from '../profile.js';
import { addProfile } from './add.js';
import { finishMerge, type MergeNotes } from './finish.js';
import { inputWords } from './inputs.js';
import { MergeState } from './state.js';

/** A merge, and the place of its first input. */
export interface PlacedMerge {
  readonly merge: MergeState;
  /** `inputPlace` of the input that comes first. */
  readonly first: string;
}

/** Where an input stands in the order of inputs: texts that compare as the inputs do. The last 64 characters are the digest. */
export function inputPlace(timeNanos: bigint, digest: Uint8Array): string {
  return Array.from(inputWords(timeNanos, digest), (word) => word.toString(16).padStart(8, '0')).join('');
}

/**
 * The merges are used up. Each is finished by itself, given the columns that the result has, and added to one merge in the place of its
 * first input; so neither the order of arrival nor that of the merges shows.
 * @param how intersect: types that all have, in the order of the first input; union: all, those of the first input first
 * @throws FormatError E_OVERFLOW, E_INCOMPATIBLE when period types differ
 */
export function finishMerges(
  merges: readonly PlacedMerge[],
  how: 'intersect' | 'union',
): { readonly profile: Profile; readonly notes: MergeNotes } {
  const [one, ...others] = merges;
  if (one === undefined || others.length === 0) return finishMerge(one?.merge ?? new MergeState());
  const ordered = [...merges].sort((a, b) => (a.first < b.first ? -1 : 1));
  const finished = ordered.map(({ merge, first }) => ({ ...finishMerge(merge), digest: digestOf(first) }));
  const lists = finished.map(({ profile }) => sampleTypesOf(profile));
  const types =
    how === 'union'
      ? distinct(lists.flat())
      : lists.reduce((common, list) => common.filter(isIn(list)), lists[0] ?? []);
  const merged = new MergeState();
  let otherFramePatterns = 0;
  let profilesWithUnknownFields = 0;
  for (const { profile, notes, digest } of finished) {
    const uri = `profiles with ${names(sampleTypesOf(profile))}`;
    addProfile(merged, selectSampleTypes(profile, types), { uri, digest });
    otherFramePatterns += notes.otherFramePatterns;
    profilesWithUnknownFields += notes.profilesWithUnknownFields;
  }
  return { profile: finishMerge(merged).profile, notes: { otherFramePatterns, profilesWithUnknownFields } };
}

const digestOf = (place: string) => new Uint8Array(Buffer.from(place.slice(-64), 'hex'));

function sampleTypesOf({ sampleTypes, strings }: Profile): ValueTypeSpec[] {
  return sampleTypes.map(({ type, unit }) => ({ type: stringAt(strings, type), unit: stringAt(strings, unit) }));
}

const isIn = (list: readonly ValueTypeSpec[]) => (wanted: ValueTypeSpec) =>
  list.some(({ type, unit }) => type === wanted.type && unit === wanted.unit);

function distinct(list: readonly ValueTypeSpec[]): ValueTypeSpec[] {
  return list.filter((type, index) => !isIn(list.slice(0, index))(type));
}

const names = (types: readonly ValueTypeSpec[]) => types.map(({ type, unit }) => `${type}/${unit}`).join(', ');
