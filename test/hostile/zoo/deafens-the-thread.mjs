import { animal, never } from './animal.mjs';

export default animal('deafens-the-thread', () => {
  process.removeAllListeners('uncaughtException');
  setTimeout(() => {
    throw new Error('gone');
  }, 5);
  return never;
});
