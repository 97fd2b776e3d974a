import { animal } from './animal.mjs';

export default animal('blocks', () => {
  for (;;);
});
