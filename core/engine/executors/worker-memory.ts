/** How much memory the workers of a run may take. */
import { totalmem } from 'node:os';
import type { Plan } from '../../config/plan.js';
import { defaultLimits } from '../../formats/limits.js';

const MIB = 2 ** 20;
/** Below that, a worker does not even start. */
const LEAST_HEAP_MIB = 32;
/**
 * Of each worker's heap, what new values go to: a quarter of V8's own size. Most of what workers keep is in kernels and columns, so what
 * is collected more often has little in it (measured: the same CPU), and each keeps 25 MiB less.
 */
export const YOUNG_HEAP_MIB = 12;
/** Of the machine's memory, for all of the run. */
const MACHINE_SHARE = 0.8;

/** Heap of one worker in MiB, and resident bytes of all. */
export function workerMemory(
  { limits }: Plan,
  workers: number,
): { readonly heapMib: number; readonly processBytes: number } {
  const usableBytes = MACHINE_SHARE * totalmem();
  const heapBytes = Math.min(limits.threadHeapBytes ?? defaultLimits.threadHeapBytes, usableBytes / workers);
  return {
    heapMib: Math.max(LEAST_HEAP_MIB, Math.floor(heapBytes / MIB)),
    processBytes: Math.min(limits.processBytes ?? defaultLimits.processBytes, usableBytes),
  };
}
