import { animal } from './animal.mjs';

export default animal('recurses', () => {
  const deeper = () => deeper() + 1;
  return deeper();
});
