/** Numbers that kernels/answers and its host agree on. Read by both compilers, so there are no types here. */

/** In place of the number of frames of a line: the host has not said yet what is there. */
export const UNANSWERED = -1;

// In place of an object address: the line is no plain number; the file begins behind it, or ends too far before it.
export const NO_NUMBER = -1;
export const OUTSIDE = -2;
