import { base } from './base.mjs';

console.log('hello from a module');
export default { ...base('stage', 'prints-when-loaded'), create: () => ({ process: (profile) => profile }) };
