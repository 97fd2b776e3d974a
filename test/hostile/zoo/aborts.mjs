import { animal } from './animal.mjs';

export default animal('aborts', () => process.abort());
