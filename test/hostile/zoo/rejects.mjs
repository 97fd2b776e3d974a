import { animal } from './animal.mjs';

export default animal('rejects', async () => {
  await null;
  throw new RangeError('too late');
});
