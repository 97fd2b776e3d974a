import { animal } from './animal.mjs';

export default animal('returns-bad-rows', (profile) => ({
  ...profile,
  samples: { ...profile.samples, stackLocations: profile.samples.stackLocations.map(() => 1e9) },
}));
