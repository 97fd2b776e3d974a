import { parentPort } from 'node:worker_threads';
import { animal } from './animal.mjs';

export default animal('talks-on-the-port', (profile) => {
  parentPort?.postMessage('hello');
  return profile;
});
