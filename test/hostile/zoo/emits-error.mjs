import { EventEmitter } from 'node:events';
import { animal, never } from './animal.mjs';

export default animal('emits-error', () => {
  setTimeout(() => new EventEmitter().emit('error', new Error('no listener')), 5);
  return never;
});
