import { animal } from './animal.mjs';

export default animal('throws-circle', () => {
  const error = new Error('round');
  error.cause = error;
  throw error;
});
