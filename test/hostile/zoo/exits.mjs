import { animal } from './animal.mjs';

export default animal('exits', () => process.exit(0));
