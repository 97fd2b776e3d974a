import { animal } from './animal.mjs';

export default animal('fills-buffers', () => {
  const kept = [];
  for (;;) kept.push(new Uint8Array(2 ** 24).fill(1));
});
