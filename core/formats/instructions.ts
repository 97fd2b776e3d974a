/** Machine code as a control-flow walk sees it, whatever the processor: one row an instruction, in order of address. */

/** Where execution goes after an instruction. */
export const Flow = {
  /** To the next one only. */
  next: 0,
  /** To `target` only. */
  jump: 1,
  /** To `target` or to the next one, by flags that an earlier instruction set. */
  branch: 2,
  /** To `target` or to the next one, by a register that it tests itself (cbz, tbnz, jrcxz): neither reads nor sets flags. */
  testBranch: 3,
  /** Into a function at `target` (−1 when computed); what the callee does to the flags is not known here. */
  call: 4,
  /** Nowhere that can be told: return, computed jump, trap, bytes that are no instruction. */
  end: 5,
} as const;

/** What an instruction does, as far as a walk over checks asks: bits of `InstructionTable.traits`. */
export const Trait = {
  /** Changes at least one condition flag. */
  setsFlags: 1,
  /** Does nothing but set flags from its operands: cmp, test, cmn, tst. */
  compares: 2,
  /** Only brings a value somewhere: register moves, constants, sums as of addresses, loads, stores and nops. */
  moves: 4,
  /** The byte load by which Go's compiler checks a pointer for nil: its result goes nowhere. */
  nilLoad: 8,
} as const;

export interface InstructionTable {
  readonly length: number;
  /** `length + 1` offsets into the function's bytes; row i is at `base + start[i]`, the last is the end. */
  readonly start: Uint32Array;
  /** Object address of the first byte. */
  readonly base: number;
  /** One of `Flow`. */
  readonly flow: Uint8Array;
  /** Bits of `Trait`. */
  readonly traits: Uint8Array;
  /** Object address of a direct jump, branch or call; −1 for the others. */
  readonly target: Float64Array;
}

/** Row that begins at an object address; −1 when none does. */
export function rowAt(table: InstructionTable, objectAddress: number): number {
  const wanted = objectAddress - table.base;
  let low = 0;
  let high = table.length - 1;
  while (low <= high) {
    const middle = (low + high) >>> 1;
    const found = table.start[middle]!;
    if (found === wanted) return middle;
    if (found < wanted) low = middle + 1;
    else high = middle - 1;
  }
  return -1;
}

export const addressOf = (table: InstructionTable, row: number): number => table.base + table.start[row]!;
