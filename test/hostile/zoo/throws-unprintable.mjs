import { animal } from './animal.mjs';

export default animal('throws-unprintable', () => {
  throw {
    get name() {
      throw 1;
    },
    toString() {
      throw 2;
    },
  };
});
