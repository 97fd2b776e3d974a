/** What one name may take. A name that would take more stays mangled. */

export const INPUT_BYTES: u32 = 1 << 15;
/** A mangled name of 200 bytes may stand for 100 MB. */
export const OUTPUT_BYTES: u32 = 1 << 17;
export const NODE_BYTES: u32 = 1 << 21;
export const SUBSTITUTIONS: u32 = 1 << 14;
/** Members of lists that are not complete yet. */
export const PENDING: u32 = 1 << 14;
/** Of types, names and expressions in each other: those of the C++ standard's own library reach 40. */
export const DEPTH: u32 = 256;
/** Of printing: a node refers to others that are as deep again. */
export const PRINT_DEPTH: u32 = 1024;
/** Nodes that are printed, one that is referred to as often as it is: some print nothing. */
export const PRINT_STEPS: u32 = 1 << 16;
