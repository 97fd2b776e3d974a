import { animal } from './animal.mjs';

export default animal('returns-long-table', (profile) => ({
  ...profile,
  locations: { ...profile.locations, lines: { ...profile.locations.lines, length: 2 ** 53 } },
}));
