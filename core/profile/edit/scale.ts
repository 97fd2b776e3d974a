/** Values times a factor: weighted merges, and profiles of different length side by side. */
import { FormatError } from '../../formats/errors.js';
import { halves, type Profile } from '../profile.js';
import { ExactSums } from '../sums.js';

const MAX_INT64 = 2 ** 63;

/**
 * Each value times the factor of its sample type, rounded half away from zero. Samples whose values become 0 stay.
 * Source: google/pprof profile.go ScaleN.
 * @param factors one a sample type, finite
 * @throws FormatError E_OVERFLOW for a result beyond 64 bits
 */
export function scaleValues(profile: Profile, factors: readonly number[]): Profile {
  const types = profile.sampleTypes.length;
  if (factors.length !== types) throw new RangeError(`${factors.length} factors for ${types} sample types`);
  if (factors.every((factor) => factor === 1)) return profile;
  const before = profile.samples.values;
  const values = before.slice();
  for (let at = 0; at < values.length; at++) {
    const factor = factors[at % types]!;
    const value = before[at]!;
    if (factor === 1 || value === 0n) continue;
    const scaled = Number(value) * factor;
    const rounded = Math.sign(scaled) * Math.round(Math.abs(scaled));
    if (!(Math.abs(rounded) < MAX_INT64)) {
      throw new FormatError('E_OVERFLOW', 'a scaled value is beyond 64 bits', { got: `${value} × ${factor}` });
    }
    values[at] = BigInt(rounded);
  }
  return { ...profile, samples: { ...profile.samples, values } };
}

/**
 * Scaled so that the sum of each sample type is that of `base`; a type whose sum is 0 becomes all 0, as with `pprof -normalize`.
 * @throws FormatError E_OVERFLOW; RangeError when the numbers of sample types differ
 */
export function normalizeTo(profile: Profile, base: Profile): Profile {
  const wanted = valueSums(base);
  const factors = valueSums(profile).map((sum, type) => (sum === 0n ? 0 : Number(wanted[type]) / Number(sum)));
  return scaleValues(profile, factors);
}

/** Sum of the values of each sample type, with their signs. */
export function valueSums({ sampleTypes, samples }: Profile): bigint[] {
  const sums = new ExactSums(sampleTypes.length);
  const words = halves(samples.values);
  for (let at = 0; at < samples.values.length; at++) {
    sums.add(at % sampleTypes.length, words[2 * at]!, words[2 * at + 1]! | 0);
  }
  return sampleTypes.map((_, type) => sums.at(type));
}
