/** Numbers that kernels/cfi and its host agree on. Read by both compilers, so there are no types here. */

/** Words of a CIE, as Common of kernels/cfi/instructions.ts has them. */
export const COMMON_WORDS = 8;
/** In place of a function's first row: the host has to make it. */
export const NOT_MADE = 0xffffffff;
