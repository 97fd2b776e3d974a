import { animal, never } from './animal.mjs';

export default animal('exits-later', () => {
  setTimeout(() => process.exit(0), 5);
  return never;
});
