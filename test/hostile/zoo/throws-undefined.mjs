import { animal } from './animal.mjs';

export default animal('throws-undefined', () => {
  throw undefined;
});
