import { animal } from './animal.mjs';

export default animal('thenable-hangs', () => ({ then() {} }));
