import { animal } from './animal.mjs';

export default animal('returns-nothing', () => undefined);
