import { animal, never } from './animal.mjs';

export default animal('microtask-throws', () => {
  queueMicrotask(() => {
    throw new Error('very soon');
  });
  return never;
});
