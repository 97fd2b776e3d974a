import { animal } from './animal.mjs';

export default animal('takes-buffers-away', (profile) => {
  structuredClone(profile.samples.values, { transfer: [profile.samples.stackStart.buffer] });
  return profile;
});
