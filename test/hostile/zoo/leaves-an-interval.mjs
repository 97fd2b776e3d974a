import { animal } from './animal.mjs';

export default animal('leaves-an-interval', (profile) => {
  setInterval(() => {}, 1);
  return profile;
});
