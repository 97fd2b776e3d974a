/**
 * Go's functions as a walk sees them: how far the return address is from the stack pointer at a pc (pcsp, prologues included), and
 * which of them are no plain functions. Source: Go src/runtime/traceback.go, asm_amd64.s, asm_arm64.s, sys_linux_amd64.s
 */
import { GoFunctionFlag } from '../../../core/binaries.js';
import type { GoTable, StackDeltas } from '../../../core/index.js';

export const GoKind = {
  plain: 0,
  /** The first function of a goroutine or thread. */
  top: 1,
  /** Goes to another stack, or comes from one: what pcsp says holds only before the switch. */
  stackSwitch: 2,
  /** What the kernel called to deliver a signal: it returns to the exact address of `signalReturn`. */
  signalHandler: 3,
  /** Gives the interrupted registers back, which lie at its stack pointer. */
  signalReturn: 4,
  /** A signal's handler put the call in: its return address is that of the instruction that was interrupted. */
  injected: 5,
} as const;
export type GoKind = (typeof GoKind)[keyof typeof GoKind];

/** By name since versions differ in their flags: sigtramp is flagged as the top, before 1.17 nothing is. */
const kindByName: { readonly [name: string]: GoKind } = {
  goexit: GoKind.top,
  mstart: GoKind.top,
  rt0_go: GoKind.top,
  systemstack: GoKind.stackSwitch,
  mcall: GoKind.stackSwitch,
  asmcgocall: GoKind.stackSwitch,
  morestack: GoKind.stackSwitch,
  morestack_noctxt: GoKind.plain,
  gogo: GoKind.stackSwitch,
  // Writes the stack pointer, but leaves frames that can be walked: on the goroutine's stack it pretends to be called from there.
  cgocallback: GoKind.plain,
  systemstack_switch: GoKind.plain,
  sigtramp: GoKind.signalHandler,
  cgoSigtramp: GoKind.signalHandler,
  sigreturn: GoKind.signalReturn,
  sigreturn__sigaction: GoKind.signalReturn,
  sigpanic: GoKind.injected,
  sigpanic0: GoKind.injected,
  asyncPreempt: GoKind.injected,
  debugCallV1: GoKind.injected,
  debugCallV2: GoKind.injected,
};

const RUNTIME = 'runtime.';
const PROGRAM_ENTRY = '_rt0_';
const UNKNOWN = 0xff;

export class GoFunctions {
  readonly #table: GoTable;
  readonly #kinds: Uint8Array;
  readonly #deltas = new Map<number, StackDeltas | undefined>();

  constructor(table: GoTable) {
    this.#table = table;
    this.#kinds = new Uint8Array(table.length).fill(UNKNOWN);
  }

  /** @param pc object address @returns the function's index, −1 where no Go function is */
  find(pc: number): number {
    return this.#table.find(pc);
  }

  /** Whether a function begins there. No call returns to such an address, but the runtime and the kernel make calls that look so. */
  isEntry(pc: number): boolean {
    const index = this.find(pc);
    return index >= 0 && this.#table.entry(index) === pc;
  }

  kind(index: number): GoKind {
    const known = this.#kinds[index]!;
    if (known !== UNKNOWN) return known as GoKind;
    const kind = this.#findKind(index);
    this.#kinds[index] = kind;
    return kind;
  }

  /**
   * Bytes from the stack pointer to the return address (amd64), or to the caller's stack pointer (arm64).
   * @returns undefined where the table says nothing
   * @throws FormatError for a spoilt table
   */
  stackDelta(index: number, pc: number): number | undefined {
    const deltas = this.#deltasOf(index);
    if (deltas === undefined) return undefined;
    const into = pc - this.#table.entry(index);
    let low = 0;
    let high = deltas.ends.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (deltas.ends[middle]! <= into) low = middle + 1;
      else high = middle;
    }
    return deltas.deltas[low];
  }

  #deltasOf(index: number): StackDeltas | undefined {
    if (!this.#deltas.has(index)) this.#deltas.set(index, this.#table.stackDeltas(index));
    return this.#deltas.get(index);
  }

  #findKind(index: number): GoKind {
    const name = this.#table.name(index);
    if (name.startsWith(RUNTIME)) {
      const inRuntime = name.slice(RUNTIME.length);
      if (Object.hasOwn(kindByName, inRuntime)) return kindByName[inRuntime]!;
    }
    if (name.startsWith(PROGRAM_ENTRY)) return GoKind.top;
    const flags = this.#table.flags(index);
    if ((flags & GoFunctionFlag.topFrame) !== 0) return GoKind.top;
    return (flags & GoFunctionFlag.stackPointerWritten) !== 0 ? GoKind.stackSwitch : GoKind.plain;
  }
}
