import { animal } from './animal.mjs';

export default animal('kills-itself', () => process.kill(process.pid, 'SIGKILL'));
