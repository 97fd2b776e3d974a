import { animal } from './animal.mjs';

export default animal('changes-array', (profile) => {
  Array.prototype.map = () => [];
  Array.prototype[Symbol.iterator] = function* () {};
  return profile;
});
