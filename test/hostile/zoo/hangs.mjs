import { animal, never } from './animal.mjs';

export default animal('hangs', () => never);
