/**
 * Go's function table (.gopclntab) as the other rooms see it. Addresses are object addresses (see core/binary/binary.ts).
 * Source: Go src/internal/abi/symtab.go, src/runtime/symtab.go, symtabinl.go; versions 1.2 … 1.27.
 */

/**
 * Layout family, by the version that began with it. The header's magic tells it, but for 1.12, which has that of 1.2; 1.26 moved
 * things within the last one.
 */
export type GoLayout = '1.2' | '1.12' | '1.16' | '1.18' | '1.20';

/** Go 1.2 … 1.15: symbols and stack deltas are read of these; what else there is in their code is not known here. */
export function isBeforeGo116({ layout }: Pick<GoTable, 'layout'>): boolean {
  return layout === '1.2' || layout === '1.12';
}

/** One source-level frame at a pc. */
export interface GoFrame {
  readonly function: string;
  /** Full path as the compiler wrote it. */
  readonly file: string;
  readonly line: number;
  /** Line of the `func` keyword; 0 where the version does not record it (before 1.20). */
  readonly startLine: number;
  /** Whether this function was inlined into the next one. */
  readonly inlined: boolean;
}

/**
 * Frames of many places, as numbers: each row is GO_ROW_WORDS of them, `{nameOffset, fileOffset or −1 for none, line, startLine}`.
 * Good until the next places are asked for.
 */
export interface GoFrameRows {
  /** For each place: its rows, 0 in padding, −1 where `frames` has to be asked. As many as were looked at, at least one. */
  readonly counts: Int32Array;
  /** Those of one place after those of another, innermost first. */
  readonly rows: Int32Array;
  /** What offsets lead into: texts of UTF-8 that end with a NUL. Always the same arrays. */
  readonly names: Uint8Array;
  readonly files: Uint8Array;
}

export const GO_ROW_WORDS = 4;

/** Tables of `pcdata`: indexes by name, as they are from 1.16 on. Source: internal/abi/symtab.go. */
export const PcData = {
  unsafePoint: 0,
  stackMapIndex: 1,
  inlineTreeIndex: 2,
  argLiveIndex: 3,
  panicBounds: 4,
} as const;

/** Bits of a function's flags. Source: internal/abi/symtab.go FuncFlag. */
export const GoFunctionFlag = {
  /** Outermost of a stack: nothing called it. */
  topFrame: 1,
  /** Writes the stack pointer in a way that pcsp does not follow. */
  stackPointerWritten: 2,
} as const;

/** A function's pcsp table, decoded: `deltas[i]` holds from the end of the range before (the entry for the first) up to `ends[i]`. */
export interface StackDeltas {
  /** Bytes from the function's entry, increasing. */
  readonly ends: Uint32Array;
  /** Bytes from SP to the return address word. */
  readonly deltas: Int32Array;
}

export interface StackExtent {
  /** Bytes of the function's own code: all its tables end there. */
  readonly codeBytes: number;
  readonly largestDelta: number;
}

export interface GoTable {
  readonly layout: GoLayout;
  /** Whether the table tells what was inlined: from 1.9 on. */
  readonly hasInlinedCalls: boolean;
  /** Functions in order of address; all the methods below take an index into them. */
  readonly length: number;
  /** Bytes in memory. */
  readonly heldBytes: number;
  /** Object addresses of runtime.text (before 1.18: of the first function) and of the last function's end. */
  readonly textStart: number;
  readonly textEnd: number;
  /** Index of the function that holds a pc, padding behind its code included; −1 outside. */
  find(pc: number): number;
  entry(index: number): number;
  /** End of the function's own code: where its line table ends, padding excluded. */
  end(index: number): number;
  name(index: number): string;
  startLine(index: number): number;
  /** Bits of `GoFunctionFlag`; 0 before 1.17, which had none. */
  flags(index: number): number;
  /**
   * Frames at an exact pc (no −1 is taken here), innermost first; [] outside of any function and in padding.
   * @throws FormatError when the function's own tables are spoilt
   */
  frames(pc: number): GoFrame[];
  /**
   * The same of many, as far as that is quick.
   * @param pcs of which the first are looked at, as many as the answer has counts
   * @returns undefined of a table that has no such rows: before 1.20, and of one with very many names
   */
  frameRows(pcs: Float64Array): GoFrameRows | undefined;
  /** Value of a pcdata table of a function at a pc; −1 where the table is absent or the pc beyond it. */
  pcdata(index: number, table: number, pc: number): number;
  /** Bytes from SP to the return address word at a pc (pcsp); undefined where the function has no table or the pc is beyond it. */
  stackDelta(index: number, pc: number): number | undefined;
  /** All of a function's pcsp table, for those who look up many pcs; undefined where it has none. */
  stackDeltas(index: number): StackDeltas | undefined;
  /** What a function's pcsp table says of it as a whole: one pass. */
  stackExtent(index: number): StackExtent | undefined;
}
