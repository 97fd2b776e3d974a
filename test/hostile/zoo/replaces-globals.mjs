import { animal } from './animal.mjs';

export default animal('replaces-globals', (profile) => {
  globalThis.Uint8Array = Array;
  globalThis.Map = undefined;
  return profile;
});
