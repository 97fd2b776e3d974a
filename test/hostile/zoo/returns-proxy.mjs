import { animal, never } from './animal.mjs';

export default animal('returns-proxy', (profile) => new Proxy(profile, { get: () => never }));
