import { animal, never } from './animal.mjs';

export default animal('timer-throws', () => {
  setTimeout(() => {
    throw new Error('nobody listens');
  }, 5);
  return never;
});
