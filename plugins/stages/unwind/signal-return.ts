/**
 * What a signal's handler returns to where no table tells of it (musl, Go, arm64's [vdso] since Linux 5.8): code that does nothing but the
 * system call rt_sigreturn, told by its bytes, as libgcc's and gdb's unwinders do. The kernel's siginfo, if any, and ucontext lie at its
 * stack pointer. Source: Linux arch/{x86,arm64}/include/uapi/asm/{sigcontext,ucontext}.h, arch/arm64/kernel/signal.c (rt_sigframe)
 */
import type { RegisterFile } from '../../../core/index.js';
import type { Ending } from './ending.js';
import type { FrameState } from './frame-state.js';
import type { StackMemory } from './stack-memory.js';

type Architecture = RegisterFile['architecture'];

interface SignalReturn {
  readonly code: readonly number[];
  /** Where its instructions end: at the last the kernel is at work. */
  readonly instructionEnds: readonly number[];
  /** Bytes from the stack pointer to the registers by DWARF number. */
  readonly savedAt: readonly number[];
  readonly pcSavedAt: number;
}

/** Of arm64, behind 128 bytes of siginfo, 176 of ucontext and the address of a fault: x0 … x30, sp, pc. */
const ARM64_SAVED_AT = 312;

const SIGNAL_RETURNS: { readonly [architecture in Architecture]?: SignalReturn } = {
  amd64: {
    code: [0x48, 0xc7, 0xc0, 0x0f, 0, 0, 0, 0x0f, 0x05], // mov $15, %rax; syscall
    instructionEnds: [7, 9],
    // rax, rdx, rcx, rbx, rsi, rdi, rbp, rsp, r8 … r15
    savedAt: [144, 136, 152, 128, 112, 104, 120, 160, 40, 48, 56, 64, 72, 80, 88, 96],
    pcSavedAt: 168,
  },
  arm64: {
    code: [0x68, 0x11, 0x80, 0xd2, 0x01, 0, 0, 0xd4], // mov x8, #139; svc #0
    instructionEnds: [4, 8],
    savedAt: Array.from({ length: 32 }, (_, register) => ARM64_SAVED_AT + 8 * register),
    pcSavedAt: ARM64_SAVED_AT + 8 * 32,
  },
};

type BytesAt = (pc: number, length: number) => Uint8Array;

/** @param bytesAt as `Binary.bytesAt` */
export function beginsSignalReturn(architecture: Architecture, bytesAt: BytesAt, pc: number): boolean {
  const code = SIGNAL_RETURNS[architecture]?.code;
  if (code === undefined) return false;
  const bytes = bytesAt(pc, code.length);
  return bytes.length === code.length && code.every((byte, at) => bytes[at] === byte);
}

/** Whether the instruction about to run at a pc, or the system call that it is behind, is one of that code. */
export function isSignalReturn(architecture: Architecture, bytesAt: BytesAt, pc: number): boolean {
  const ends = SIGNAL_RETURNS[architecture]?.instructionEnds ?? [];
  return [0, ...ends].some((end) => beginsSignalReturn(architecture, bytesAt, pc - end));
}

/** Changes the state to what the signal interrupted. @returns how the stack ends here; undefined when it goes on */
export function crossSignal(state: FrameState, memory: StackMemory): Ending | undefined {
  const { sp, registers, file } = state;
  const saved = SIGNAL_RETURNS[file.architecture];
  if (saved === undefined) return 'no_table';
  const pc = memory.word(sp + saved.pcSavedAt);
  if (Number.isNaN(pc)) return memory.whyUnknown(sp + saved.pcSavedAt);
  registers.fill(Number.NaN);
  for (const [register, place] of saved.savedAt.entries()) {
    const isCode = register === file.returnAddress;
    registers[register] = isCode ? memory.codeAddress(sp + place) : memory.word(sp + place);
  }
  const interruptedSp = registers[file.stackPointer]!;
  registers[file.stackPointer] = sp;
  state.toInterrupted(pc, interruptedSp);
  return undefined;
}
