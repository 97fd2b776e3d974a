/**
 * An executable or library on disk. Every address here is an **object address**: a number relative to `imageBase`, the lowest
 * address that the file asks to be loaded at (kernels link above 2^53, so absolute ones would not be exact).
 */
import type { FrameSections } from '../formats/cfi/section.js';
import type { Dwarf } from '../formats/dwarf/dwarf.js';
import type { DebugSections } from '../formats/dwarf/sections.js';
import type { GoTable } from '../formats/gopclntab/table.js';
import type { JitLine } from '../formats/jitdump/jit-lines.js';
import type { JitCode } from '../formats/jitdump/jitdump.js';
import type { SymbolTable } from '../formats/symbols/symbol.js';

export type ObjectFormat = 'elf' | 'macho' | 'pe' | 'jitdump' | 'kallsyms';

export type Architecture = 'amd64' | 'arm64' | '386' | 'arm' | 'other';

/** A loadable piece of the file. */
export interface Segment {
  readonly objectAddress: number;
  /** Bytes in memory; what is beyond `fileBytes` is zero. */
  readonly memoryBytes: number;
  readonly fileOffset: number;
  readonly fileBytes: number;
  readonly executable: boolean;
}

/** Functions of a jitdump. */
export interface JitTable {
  readonly hasLines: boolean;
  /** The function at an object address. */
  find(objectAddress: number): JitCode | undefined;
  /** [] where the dump has none of it. @throws FormatError of `readJitLines` */
  linesOf(code: JitCode): readonly JitLine[];
}

export interface Binary {
  readonly path: string;
  readonly format: ObjectFormat;
  readonly architecture: Architecture;
  /** Absolute address of object address 0: ELF's and Mach-O's vaddr, PE's image base. */
  readonly imageBase: bigint;
  /** Absolute address that execution begins at; 0 for a library without such a place. */
  readonly entry: bigint;
  /** Whether it may be loaded anywhere (ELF ET_DYN, MH_PIE, DYNAMIC_BASE); if not, runtime addresses are absolute object addresses. */
  readonly isPositionIndependent: boolean;
  /** GNU build ID or Mach-O's UUID in lower-case hex, and Go's own build ID text, where the file has them. */
  readonly gnuBuildId: string | undefined;
  readonly goBuildId: string | undefined;
  readonly segments: readonly Segment[];
  /** Bytes from an object address on: a view, at most `length`, shorter where the file-backed part ends, empty outside. */
  bytesAt(objectAddress: number, length: number): Uint8Array;
  /** Go's own tables; undefined for a binary without them. Read on first use. @throws FormatError for spoilt ones */
  readonly go: GoTable | undefined;
  /** What compilers wrote for debuggers; undefined for a binary without it. Opened on first use. @throws FormatError */
  readonly dwarf: Dwarf | undefined;
  /** Undefined but of a jitdump. */
  readonly jit?: JitTable;
  /** For readers of debug information; whether there is any is seen by asking for its sections. */
  readonly debug: DebugSections;
  /** The most complete first; read when they are asked. */
  readonly symbolTables: readonly SymbolTable[];
  /** Debug files that were at hand but are not those of this binary: their build ID or checksum differs. For a person. */
  readonly refusals: readonly string[];
  /** The other slices of a universal file; released with this one. */
  readonly siblings?: readonly Binary[];
  /** Call frame information. Read on first use. */
  readonly frames: FrameSections;
  /** Bytes in memory for what was read of it and kept. */
  readonly heldBytes: number;
  /** Gives back memory and the open file; what is asked for later is read again. */
  release(): void;
}
