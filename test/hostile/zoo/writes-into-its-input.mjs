import { animal } from './animal.mjs';

export default animal('writes-into-its-input', (profile) => {
  profile.samples.stackLocations.fill(4_000_000_000);
  return profile;
});
