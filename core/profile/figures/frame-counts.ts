/** How often functions have a frame of their own on the stacks of a profile. */
import { type Profile, stringAt } from '../profile.js';
import { findSampleType } from '../sample-type.js';

/**
 * Values of a sample type by name of the physical function, once for each of its frames in a stack; inlined calls have no frame.
 * Locations without lines are under "".
 * @throws FormatError E_SAMPLE_TYPE
 */
export function frameCounts(profile: Profile, sampleTypeName?: string): ReadonlyMap<string, bigint> {
  const { samples, locations, functions, strings, sampleTypes } = profile;
  const type = findSampleType(profile, sampleTypeName).index;
  const ofLocation = new BigInt64Array(locations.length);
  for (let sample = 0; sample < samples.length; sample++) {
    const value = samples.values[sample * sampleTypes.length + type]!;
    for (let at = samples.stackStart[sample]!; at < samples.stackStart[sample + 1]!; at++) {
      ofLocation[samples.stackLocations[at]!]! += value;
    }
  }
  const counts = new Map<string, bigint>();
  ofLocation.forEach((value, location) => {
    const last = locations.lineStart[location + 1]! - 1;
    const isBare = last < locations.lineStart[location]!;
    const name = isBare ? '' : stringAt(strings, functions.name[locations.lines.function[last]!]!);
    counts.set(name, (counts.get(name) ?? 0n) + value);
  });
  return counts;
}
