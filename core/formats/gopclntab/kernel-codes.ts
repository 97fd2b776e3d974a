/** Numbers that kernels/gopclntab and its host have in common. */

/** In place of the row of an inline tree: nothing was inlined there; of a file number: there is none. */
export const NONE = -1;
/** In place of the number of a place's frames: the kernel does not know, or it is spoilt. */
export const UNANSWERED = -1;

/** Places that can be asked for at once, and rows that there is room for. */
export const MAX_PLACES = 1 << 10;
export const MAX_ROWS = 1 << 12;

// What is wrong with a function.
export const SPOILT_RECORD = 1;
export const SPOILT_PC_VALUES = 2;
/** Not of the function: the table does not fit into a kernel's memory. */
export const OUT_OF_MEMORY = 3;
