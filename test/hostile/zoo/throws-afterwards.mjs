import { animal } from './animal.mjs';

export default animal('throws-afterwards', (profile) => {
  setTimeout(() => {
    throw new Error('who was that?');
  }, 1);
  return profile;
});
