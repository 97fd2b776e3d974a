import { animal, wait } from './animal.mjs';

export default animal('blocks-later', async () => {
  await wait(5);
  for (;;);
});
