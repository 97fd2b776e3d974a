import fc from 'fast-check';
import type { Profile } from '../../core/profile/profile.js';
import { type ProfileFeatures, randomProfile } from '../../core/testing/random-profile.js';

export { randomProfile } from '../../core/testing/random-profile.js';

/** For fast-check: shrinks by the size. */
export function arbitraryProfile(features: Partial<ProfileFeatures> = {}): fc.Arbitrary<Profile> {
  return fc
    .tuple(fc.integer({ min: 0 }), fc.integer({ min: 0, max: 20 }))
    .map(([seed, size]) => randomProfile(seed, size, features));
}
