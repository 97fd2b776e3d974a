/**
 * What Go's runtime guarantees of the size of a goroutine's stack, on ELF systems (elsewhere the runtime keeps more in reserve).
 * Alike in Go 1.16 … 1.27; a binary built with -race keeps more, so that all of it still holds.
 *
 *     hi ┌────────────────────┐
 *        │ words above root   │  argument space, and on amd64 the return address into runtime.goexit
 *        │ frame of the root  │
 *        │ …                  │
 *        │ frame of the leaf  │
 *     sp ├────────────────────┤
 *        │ free, at least 800 │  where the leaf is a function that checks
 *     lo └────────────────────┘
 *
 * Source: src/runtime/stack.go (stackMin, stackGuard, stackNosplit; newstack and shrinkstack double and halve), src/runtime/proc.go
 * newproc1 (totalSize), src/internal/abi/stack.go (StackSmall), cmd/internal/obj/x86/obj6.go stacksplit.
 */
import type { Architecture } from '../../../core/index.js';

/** No stack is smaller, and all sizes are this times a power of two. */
const SMALLEST_STACK = 2048;
/** What lies below the stack guard: a checking function enters only above it. */
const STACK_GUARD = 928;
/** A frame of up to so many bytes may reach below the guard without a look. */
const STACK_SMALL = 128;
/** Room that is left below every checked frame: for chains of nosplit functions. A stack halves when a quarter of it would hold this too. */
export const STACK_NOSPLIT = STACK_GUARD - STACK_SMALL;

export interface FrameLayout {
  /** Beyond a pcsp value: the word that a call pushes. arm64 saves its link register inside the frame, if at all. */
  readonly returnAddressBytes: number;
  /** Above the frame of a function that a signal handler made the interrupted one call: where it saves the link register. */
  readonly injectedCallBytes: number;
  /** From the root's frame to the end of the stack. */
  readonly bytesAboveRoot: number;
  /** Stack pointers are multiples of it. */
  readonly alignment: number;
}

/** Four spare words and, on arm64, the callee's slot for the link register, aligned. */
const layouts: { readonly [architecture in Architecture]?: FrameLayout } = {
  amd64: { returnAddressBytes: 8, injectedCallBytes: 0, bytesAboveRoot: 32, alignment: 8 },
  arm64: { returnAddressBytes: 0, injectedCallBytes: 16, bytesAboveRoot: 48, alignment: 16 },
};

export function frameLayout(architecture: Architecture): FrameLayout | undefined {
  return layouts[architecture];
}

/** Functions that are called by signal handlers only. Source: src/runtime/signal_arm64.go preparePanic, pushCall. */
export const injectedCalls: ReadonlySet<string> = new Set([
  'runtime.sigpanic',
  'runtime.asyncPreempt',
  'runtime.debugCallV1',
  'runtime.debugCallV2',
]);

/**
 * Bytes that a stack has at least from the end of the caller's frame downwards, when a function runs there.
 * @param stackDelta pcsp value: the function's frame without the return address
 * @param isChecked whether the function has looked at the room, see stack-check.ts
 */
export function bytesNeeded(stackDelta: number, isChecked: boolean, layout: FrameLayout): number {
  const { returnAddressBytes, alignment } = layout;
  const frameBytes = stackDelta + returnAddressBytes;
  if (!isChecked) return frameBytes;
  // The stack pointer that was compared is strictly above the guard.
  const room = stackDelta <= STACK_SMALL ? STACK_GUARD : stackDelta + STACK_NOSPLIT;
  return returnAddressBytes + room + alignment;
}

/** The smallest stack of at least so many bytes. */
export function smallestStack(bytes: number): number {
  let size = SMALLEST_STACK;
  while (size < bytes) size *= 2;
  return size;
}

/** Whether a stack of twice the smallest size would stay so large over a garbage collection. */
export function keepsTwice(usedBytes: number, smallest: number): boolean {
  return usedBytes + STACK_NOSPLIT >= (2 * smallest) / 4;
}
