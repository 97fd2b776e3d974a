import { parentPort } from 'node:worker_threads';
import { animal, never } from './animal.mjs';

export default animal('closes-its-port', () => {
  parentPort?.close();
  process.channel?.unref();
  process.disconnect?.();
  return never;
});
