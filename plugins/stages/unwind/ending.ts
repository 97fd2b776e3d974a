/** How a stack ended. */

export type Ending =
  /** At the first function of a thread or goroutine: it has no caller. */
  | 'root'
  /** Where the program changed from another stack, whose bytes are not in the capture: Go's systemstack and C calls, signal stacks. */
  | 'stack_switch'
  /** The captured bytes end there. */
  | 'truncated'
  /** No code was mapped at the address. */
  | 'no_mapping'
  /** There is code, but its file was not found or is another one. */
  | 'no_binary'
  /** The file has no rule for the address. */
  | 'no_table'
  | 'spoilt_table'
  /** A rule asks for a register that nobody knows any more. */
  | 'lost_register'
  /** A rule asks for memory below the captured bytes, or its expression cannot be evaluated. */
  | 'bad_read'
  /** The caller's frame would be the same again. */
  | 'no_progress'
  | 'depth_limit';

/** Stacks that are all there is: nothing is missing that could have been captured. */
export const isComplete = (ending: Ending): boolean => ending === 'root' || ending === 'stack_switch';
