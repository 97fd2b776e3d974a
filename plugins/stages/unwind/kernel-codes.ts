/** Numbers that kernels/unwind and its host agree on. Read by both compilers, so there are no types here. */

/** How a walk ends. */
export const ROOT = 0;
export const TRUNCATED = 1;
export const BAD_READ = 2;
export const LOST_REGISTER = 3;
export const NO_TABLE = 4;
export const NO_PROGRESS = 5;
export const NO_MAPPING = 6;
export const DEPTH_LIMIT = 7;
export const NO_BINARY = 8;
export const SPOILT_TABLE = 9;
export const STACK_SWITCH = 10;
/** Or does not yet: the step is the host's; it led to a caller. */
export const HOST_STEP = 11;
export const GOES_ON = 12;

/** How a site's caller is found. */
export const BY_HOST = 0;
/** A plain rule of call frame information. */
export const BY_CFI = 1;
/** A plain function of Go's table. */
export const BY_GO = 2;
export const BY_FRAME_POINTER = 3;
/** Call frame information of a signal's frame: all registers are at offsets from its stack pointer. */
export const BY_SIGNAL_FRAME = 4;
/** Call frame information that knows no return address: a function without a caller. */
export const BY_CFI_ROOT = 5;
/** There are no means: the stack ends, in the way that the rule's word says. */
export const BY_ENDING = 6;
export const METHODS = 7;

/** Bytes of a site, without the words of its rule. */
export const SITE_BYTES = 40;
