import { animal } from './animal.mjs';

export default animal('throws', () => {
  throw new TypeError('no such thing');
});
