import { animal } from './animal.mjs';

export default animal('counts-nothing', (profile, context) => {
  context.count('x', Number.NaN);
  return profile;
});
