import { animal } from './animal.mjs';

export default animal('returns-bad-columns', (profile) => ({
  ...profile,
  samples: { ...profile.samples, stackLocations: [1, 2, 3] },
}));
