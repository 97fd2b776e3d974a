/** The registers of the frame that is looked at: the leaf's as captured, then those of caller after caller. */
import type { RegisterFile } from '../../../core/index.js';

/**
 * A signal's frame lies right below the stack pointer of what it interrupted, unless its handler has a stack of its own. The kernel's
 * largest frame (all of AMX's registers) has 11 KiB. Source: Linux arch/x86/kernel/signal.c, AT_MINSIGSTKSZ
 */
const SIGNAL_FRAME_BYTES = 16_384;

export class FrameState {
  readonly file: RegisterFile;
  /** By DWARF number; NaN: not known. */
  readonly registers: Float64Array;
  pc = Number.NaN;
  /** Whether the pc is that of an instruction about to run, not a return address: of the leaf, and of what a signal interrupted. */
  isExact = true;
  /** Whether a signal's handler ran on another stack than what it interrupted, and we are back on that: it was not captured. */
  hasLeftStack = false;

  constructor(file: RegisterFile) {
    this.file = file;
    this.registers = new Float64Array(file.names.length);
  }

  /** @param captured by number, the pc last */
  set(captured: Float64Array, start: number, length: number): void {
    this.registers.fill(Number.NaN);
    this.registers.set(captured.subarray(start, start + length - 1));
    this.pc = captured[start + length - 1]!;
    this.isExact = true;
    this.hasLeftStack = false;
  }

  assign(other: FrameState): void {
    this.registers.set(other.registers);
    this.pc = other.pc;
    this.isExact = other.isExact;
    this.hasLeftStack = other.hasLeftStack;
  }

  get sp(): number {
    return this.registers[this.file.stackPointer]!;
  }

  get fp(): number {
    return this.registers[this.file.framePointer]!;
  }

  /** The address that tables are asked for: inside of the call for a caller. */
  get lookupPc(): number {
    return this.isExact ? this.pc : this.pc - 1;
  }

  /** To the caller, reached by a call: what calls may change is not known any more. */
  toCaller(returnAddress: number, sp: number): void {
    for (const register of this.file.volatile) this.registers[register] = Number.NaN;
    this.registers[this.file.stackPointer] = sp;
    this.pc = returnAddress;
    this.isExact = false;
  }

  /** To what a signal interrupted; the other registers are set already. */
  toInterrupted(pc: number, sp: number): void {
    this.hasLeftStack = !(sp > this.sp && sp - this.sp < SIGNAL_FRAME_BYTES);
    this.registers[this.file.stackPointer] = sp;
    this.pc = pc;
    this.isExact = true;
  }
}
