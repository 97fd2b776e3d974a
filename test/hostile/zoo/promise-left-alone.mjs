import { animal, never } from './animal.mjs';

export default animal('promise-left-alone', () => {
  Promise.reject(new Error('unheard'));
  return never;
});
