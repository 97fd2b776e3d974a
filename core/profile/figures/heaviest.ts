/** Samples put together and put in order of their weight: what a reduction starts from. */
import { addProfile } from '../merge/add.js';
import { finishMerge } from '../merge/finish.js';
import { MergeState } from '../merge/state.js';
import { halves, type Profile } from '../profile.js';

/**
 * Samples with the same stack and labels as one, locations and functions that are alike as one, as in a merge of this one profile.
 * Samples of value 0 go, and unknown fields.
 * @throws FormatError E_OVERFLOW when a sum is no int64
 */
export function sumEqualSamples(profile: Profile): Profile {
  const state = new MergeState();
  addProfile(state, profile, { uri: '', digest: new Uint8Array(32) });
  return finishMerge(state).profile;
}

/** Rows of an item, heaviest first: by the value without its sign, equal ones in their order. */
export function heaviestFirst(weights: Float64Array): Uint32Array {
  const size = (row: number) => Math.abs(weights[row]!);
  return Uint32Array.from(weights, (_, row) => row).sort((a, b) => size(b) - size(a) || a - b);
}

/** Values of one sample type by sample, exact up to ±2^53 and rounded beyond. */
export function weightsOf({ samples, sampleTypes }: Profile, type: number): Float64Array {
  const words = halves(samples.values);
  return Float64Array.from({ length: samples.length }, (_, sample) => {
    const at = (sample * sampleTypes.length + type) * 2;
    return (words[at + 1]! | 0) * 2 ** 32 + words[at]!;
  });
}
