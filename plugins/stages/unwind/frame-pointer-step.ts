/** One step by the frame pointer: the last resort, right only where the function keeps one and is past its prologue. */
import type { Ending } from './ending.js';
import type { FrameState } from './frame-state.js';
import type { StackMemory } from './stack-memory.js';

const WORD_BYTES = 8;

/** Changes the state to the caller's. @returns how the stack ends here: `no_table` where the frame pointer points at no frame */
export function stepFramePointer(state: FrameState, memory: StackMemory): Ending | undefined {
  const { fp, sp, file, registers } = state;
  if (!(fp >= sp) || fp % WORD_BYTES !== 0) return 'no_table';
  const returnAddress = memory.codeAddress(fp + WORD_BYTES);
  if (Number.isNaN(returnAddress)) return memory.whyUnknown(fp + WORD_BYTES) === 'truncated' ? 'truncated' : 'no_table';
  if (returnAddress === 0) return 'root';
  const callerFp = memory.word(fp);
  registers.fill(Number.NaN);
  registers[file.framePointer] = callerFp;
  state.toCaller(returnAddress, fp + 2 * WORD_BYTES);
  return undefined;
}
