/** One step from a frame of Go code to its caller. */
import type { Ending } from './ending.js';
import type { FrameState } from './frame-state.js';
import { GoKind } from './go-functions.js';
import { crossSignal } from './signal-return.js';
import type { StackMemory } from './stack-memory.js';

/** What Go's tables say of one pc. */
export interface GoRule {
  readonly kind: GoKind;
  /** See `GoFunctions.stackDelta`. */
  readonly delta: number;
  /** Whether some Go function has the runtime address. */
  isGoCode(runtimeAddress: number): boolean;
}

const WORD_BYTES = 8;
/** arm64: what a handler leaves below the function that it pretends to call: the link register, 16 bytes for alignment. */
const INJECTED_BYTES = 16;

/** Changes the state to the caller's. @returns how the stack ends here; undefined when it goes on */
export function stepGo({ kind, delta, isGoCode }: GoRule, state: FrameState, memory: StackMemory): Ending | undefined {
  if (kind === GoKind.top) return 'root';
  if (kind === GoKind.signalReturn) return crossSignal(state, memory);
  // A callee of a function that switches runs on the new stack; only as leaf it may still be on the old one.
  if (kind === GoKind.stackSwitch && !state.isExact) return 'stack_switch';
  const { sp, file, registers } = state;
  const isArm64 = file.architecture === 'arm64';
  let returnAddress: number;
  if (!isArm64) returnAddress = memory.word(sp + delta);
  else if (delta > 0) returnAddress = memory.codeAddress(sp);
  else if (state.isExact) returnAddress = registers[file.returnAddress]!;
  else return 'lost_register';
  if (Number.isNaN(returnAddress)) {
    if (isArm64 && delta === 0) return 'lost_register';
    return memory.whyUnknown(isArm64 ? sp : sp + delta);
  }
  if (kind === GoKind.stackSwitch && (hasSwitched(state, delta) || !isGoCode(returnAddress))) return 'stack_switch';
  if (returnAddress === 0) return 'root';
  // The caller's frame pointer is saved at the top of a frame (amd64), or below it (arm64).
  const savedFp = isArm64 ? sp - WORD_BYTES : sp + delta - WORD_BYTES;
  const callerFp = delta >= WORD_BYTES ? memory.word(savedFp) : state.fp;
  // Go's functions keep no other register for their callers.
  registers.fill(Number.NaN);
  registers[file.framePointer] = callerFp;
  state.toCaller(returnAddress, isArm64 ? sp + delta : sp + delta + WORD_BYTES);
  if (kind === GoKind.signalHandler) state.isExact = true;
  if (kind === GoKind.injected) leaveInjected(state, memory);
  return undefined;
}

/** In a function that has a frame, the frame pointer tells: it is left on the old stack. */
function hasSwitched({ sp, fp, file }: FrameState, delta: number): boolean {
  return file.architecture === 'amd64' && delta >= WORD_BYTES && fp !== sp + delta - WORD_BYTES;
}

/** The caller was interrupted, not called from: its pc is exact, and on arm64 so is its link register, which was put on the stack. */
function leaveInjected(state: FrameState, memory: StackMemory): void {
  state.isExact = true;
  if (state.file.architecture !== 'arm64') return;
  state.registers[state.file.returnAddress] = memory.codeAddress(state.sp);
  state.registers[state.file.stackPointer] = state.sp + INJECTED_BYTES;
}
