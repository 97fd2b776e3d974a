import { animal } from './animal.mjs';

export default animal('prints', (profile) => {
  console.log('this is no profile');
  process.stdout.write('nor is this');
  return profile;
});
