import { animal } from './animal.mjs';

export default animal('fills-heap', () => {
  const kept = [];
  for (;;) kept.push(Array.from({ length: 2 ** 19 }, (_, index) => index / 2));
});
