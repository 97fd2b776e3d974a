import { animal } from './animal.mjs';

export default animal('throws-unprintable-error', () => {
  const error = new Error('x');
  Object.defineProperty(error, 'message', {
    get() {
      throw error;
    },
  });
  Object.defineProperty(error, 'stack', {
    get() {
      throw error;
    },
  });
  throw error;
});
