/** Registers by their DWARF numbers. Source: x86-64 psABI 1.0, figure 3.36; AADWARF64, 4.1. */
import { FormatError } from '../../formats/errors.js';
import type { Architecture, Binary } from '../binary.js';

export interface RegisterFile {
  readonly architecture: Architecture;
  /** By number; "" for those that are not followed. */
  readonly names: readonly string[];
  readonly stackPointer: number;
  readonly framePointer: number;
  /** The column that a return address has in CFI: on arm64 it is the link register. */
  readonly returnAddress: number;
  /** What a call may change: unknown in the caller, unless a rule says otherwise. */
  readonly volatile: readonly number[];
}

const amd64: RegisterFile = {
  architecture: 'amd64',
  names: 'rax rdx rcx rbx rsi rdi rbp rsp r8 r9 r10 r11 r12 r13 r14 r15 ra'.split(' '),
  stackPointer: 7,
  framePointer: 6,
  returnAddress: 16,
  volatile: [0, 1, 2, 4, 5, 8, 9, 10, 11],
};

const arm64: RegisterFile = {
  architecture: 'arm64',
  names: [...Array.from({ length: 30 }, (_, number) => `x${number}`), 'ra', 'sp'],
  stackPointer: 31,
  framePointer: 29,
  returnAddress: 30,
  volatile: Array.from({ length: 19 }, (_, number) => number),
};

/** @returns undefined for machines that are not unwound */
export function registerFile(architecture: Architecture): RegisterFile | undefined {
  if (architecture === 'amd64') return amd64;
  return architecture === 'arm64' ? arm64 : undefined;
}

/** @throws FormatError E_ARCHITECTURE for machines that are not unwound */
export function needRegisterFile(binary: Binary): RegisterFile {
  const found = registerFile(binary.architecture);
  if (found !== undefined) return found;
  throw new FormatError('E_ARCHITECTURE', 'unwound is code for amd64 and arm64 only', { got: binary.architecture });
}
