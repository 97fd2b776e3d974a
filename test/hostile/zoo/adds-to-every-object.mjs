import { animal } from './animal.mjs';

export default animal('adds-to-every-object', (profile) => {
  Object.prototype.surprise = 1;
  return profile;
});
