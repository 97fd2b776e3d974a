/**
 * What a signal's handler returns to where no table tells of it (musl, Go): `mov $15, %rax; syscall`, told by its bytes, as libgcc's and
 * gdb's unwinders do. The kernel's ucontext lies at its stack pointer. Source: Linux arch/x86/include/uapi/asm/sigcontext.h, asm/ucontext.h
 */
import type { Ending } from './ending.js';
import type { FrameState } from './frame-state.js';
import type { StackMemory } from './stack-memory.js';

const CODE = [0x48, 0xc7, 0xc0, 0x0f, 0, 0, 0, 0x0f, 0x05] as const;
/** Where its instructions end: at the last the kernel is at work. */
const INSTRUCTION_ENDS = [7, 9] as const;
/** Bytes from the stack pointer to the registers by DWARF number: rax, rdx, rcx, rbx, rsi, rdi, rbp, rsp, r8 … r15. */
const SAVED_AT = [144, 136, 152, 128, 112, 104, 120, 160, 40, 48, 56, 64, 72, 80, 88, 96] as const;
const PC_SAVED_AT = 168;

/** @param bytesAt as `Binary.bytesAt` */
export function beginsSignalReturn(bytesAt: (pc: number, length: number) => Uint8Array, pc: number): boolean {
  const bytes = bytesAt(pc, CODE.length);
  return bytes.length === CODE.length && CODE.every((byte, at) => bytes[at] === byte);
}

/** Whether the instruction about to run at a pc, or the system call that it is behind, is one of that code. */
export function isSignalReturn(bytesAt: (pc: number, length: number) => Uint8Array, pc: number): boolean {
  return beginsSignalReturn(bytesAt, pc) || INSTRUCTION_ENDS.some((end) => beginsSignalReturn(bytesAt, pc - end));
}

/** Changes the state to what the signal interrupted. Only of amd64. @returns how the stack ends here; undefined when it goes on */
export function crossSignal(state: FrameState, memory: StackMemory): Ending | undefined {
  const { sp, registers, file } = state;
  if (file.architecture !== 'amd64') return 'no_table';
  const pc = memory.word(sp + PC_SAVED_AT);
  if (Number.isNaN(pc)) return memory.whyUnknown(sp + PC_SAVED_AT);
  registers.fill(Number.NaN);
  for (const [register, place] of SAVED_AT.entries()) registers[register] = memory.word(sp + place);
  const interruptedSp = registers[file.stackPointer]!;
  registers[file.stackPointer] = sp;
  state.toInterrupted(pc, interruptedSp);
  return undefined;
}
