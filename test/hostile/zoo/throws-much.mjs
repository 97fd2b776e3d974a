import { animal } from './animal.mjs';

export default animal('throws-much', () => {
  throw new Error('x'.repeat(2 ** 22));
});
