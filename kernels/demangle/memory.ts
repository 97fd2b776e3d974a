/** Where everything is: fixed places, so that nothing is ever allocated. Pages that are not used take no memory. */
import { INPUT_BYTES, NODE_BYTES, OUTPUT_BYTES, PENDING, SUBSTITUTIONS } from './limits';

/** Throws out of the kernel. @param bytes how much memory the kernel would have had to have */
declare function outOfMemory(bytes: f64): void;

const PAGE: usize = 1 << 16;

export const INPUT: usize = (__heap_base + 15) & ~15;
export const OUTPUT: usize = INPUT + INPUT_BYTES;
export const NODES: usize = OUTPUT + OUTPUT_BYTES;
export const SUBSTITUTED: usize = NODES + NODE_BYTES;
export const PENDING_MEMBERS: usize = SUBSTITUTED + SUBSTITUTIONS * sizeof<usize>();
const END: usize = PENDING_MEMBERS + PENDING * sizeof<usize>();

/** Once, before all else. */
export function prepare(): void {
  if (memory.grow(i32((END + PAGE - 1) / PAGE) - memory.size()) < 0) outOfMemory(f64(END));
}

export function input(): usize {
  return INPUT;
}

export function output(): usize {
  return OUTPUT;
}
