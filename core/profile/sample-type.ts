/** Which of a profile's values is meant. */
import { FormatError } from '../formats/errors.js';
import { type Profile, stringAt } from './profile.js';

export interface SampleType {
  /** Place among the profile's sample types. */
  readonly index: number;
  readonly type: string;
  readonly unit: string;
}

/**
 * The sample type of a name; without a name the profile's default, else its last one, as in pprof.
 * @throws FormatError E_SAMPLE_TYPE when there is none of that name, or none at all
 */
export function findSampleType(profile: Profile, name?: string): SampleType {
  const types = profile.sampleTypes.map(({ type, unit }, index) => ({
    index,
    type: stringAt(profile.strings, type),
    unit: stringAt(profile.strings, unit),
  }));
  const wanted = name ?? (stringAt(profile.strings, profile.defaultSampleType) || undefined);
  const found = types.find(({ type }) => type === wanted) ?? (name === undefined ? types.at(-1) : undefined);
  if (found !== undefined) return found;
  if (types.length === 0) throw new FormatError('E_SAMPLE_TYPE', 'profile has no sample types');
  const names = types.map(({ type }) => `"${type}"`).join(', ');
  throw new FormatError('E_SAMPLE_TYPE', `no sample type "${name}"; the profile has ${names}`);
}
