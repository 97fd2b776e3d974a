/** Names of frames that stand for no function of any program. */

/** All stacks that an aggregate did not keep. */
export const OTHER_FRAME = '[other]';
/** Root of a stack that ends too early. */
export const TRUNCATED_FRAME = '[truncated]';
