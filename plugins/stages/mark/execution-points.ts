/** Which entry of a sample's stack is the instruction that was running. */
import type { Profile } from '../../../core/index.js';

export const ASYNC_PREEMPT = 'runtime.asyncPreempt';

export interface ExecutionPoints {
  /** By sample: offset into `stackLocations` of the running instruction's location; −1 for an empty stack. */
  readonly entry: Int32Array;
  /**
   * By sample: offset of the location that runtime.asyncPreempt interrupted, −1 elsewhere. A signal makes the goroutine call it as if
   * from the interrupted instruction, so that "caller's" location holds the instruction's own pc, not one before a return address.
   */
  readonly interrupted: Int32Array;
}

/** @param isAsyncPreempt whether a location lies in runtime.asyncPreempt */
export function executionPoints(profile: Profile, isAsyncPreempt: (location: number) => boolean): ExecutionPoints {
  const { length, stackStart, stackLocations } = profile.samples;
  const preempts = Uint8Array.from({ length: profile.locations.length }, (_, row) => (isAsyncPreempt(row) ? 1 : 0));
  const any = preempts.includes(1);
  const entry = new Int32Array(length);
  const interrupted = new Int32Array(length).fill(-1);
  for (let sample = 0; sample < length; sample++) {
    const start = stackStart[sample]!;
    const end = stackStart[sample + 1]!;
    entry[sample] = start < end ? start : -1;
    for (let at = start; any && at < end - 1; at++) {
      if (preempts[stackLocations[at]!] === 0) continue;
      interrupted[sample] = at + 1;
      break;
    }
  }
  return { entry, interrupted };
}
