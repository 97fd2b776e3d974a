/** The one door to raw deflate: node:zlib where there is one, pako elsewhere (in a browser). */
import type { Zlib } from './zlib.js';

let chosen: Promise<Zlib> | undefined;

/** node:zlib if this runtime has it, else pako. */
export function loadZlib(): Promise<Zlib> {
  chosen ??= process.versions?.node === undefined ? loadPakoZlib() : import('./zlib-node.js').then((m) => m.nodeZlib);
  return chosen;
}

/** pako, wherever we run: what a browser gets, and what the tests hold against node:zlib. */
export function loadPakoZlib(): Promise<Zlib> {
  return import('./zlib-pako.js').then((m) => m.pakoZlib);
}
