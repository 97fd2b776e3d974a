import { animal, never } from './animal.mjs';

export default animal('changes-promise', async (profile) => {
  Promise.race = () => 7;
  Promise.prototype.then = () => never;
  return profile;
});
