/** A check that Go's compiler put into a function without a line of its own in the source. */

/** What a bounds check compares, by the names of Go's panics. Source: Go src/internal/abi/bounds.go, src/runtime/panic.go. */
export type BoundsCheckName =
  | 'index'
  | 'slice-alen'
  | 'slice-acap'
  | 'slice-b'
  | 'slice3-alen'
  | 'slice3-acap'
  | 'slice3-b'
  | 'slice3-c'
  | 'slice-convert';

/** `s[i]` or `s[i:j:k]` against len or cap. */
export interface BoundsCheck {
  readonly kind: 'boundcheck';
  /** 'unknown' where the binary does not say it. */
  readonly check: BoundsCheckName | 'unknown';
  /**
   * Object addresses of the instructions that set the flags which the jump reads, ascending. Several when each predecessor of
   * the jump's block compares on its own; none when the jump itself tests a register (arm64 cbz, cbnz).
   */
  readonly compares: readonly number[];
  /** Object address of the conditional jump of which one way leads to the panic. */
  readonly jump: number;
  /** Object address of the instruction where execution goes on when the check holds. */
  readonly next: number;
}

/** An explicit nil check: a byte load whose result goes nowhere. (Most pointers are checked by the fault of their real use.) */
export interface NilCheck {
  readonly kind: 'nilcheck';
  readonly check: 'nil';
  readonly load: number;
  readonly next: number;
}

export type Check = BoundsCheck | NilCheck;
export type CheckKind = Check['kind'];
export type CheckName = Check['check'];
export type CheckRole = 'compare' | 'jump' | 'load';

/** The check's own instructions, in order of address. An instruction may belong to two checks: one compare, two jumps. */
export function checkInstructions(check: Check): { readonly objectAddress: number; readonly role: CheckRole }[] {
  if (check.kind === 'nilcheck') return [{ objectAddress: check.load, role: 'load' }];
  return [
    ...check.compares.map((objectAddress) => ({ objectAddress, role: 'compare' as const })),
    { objectAddress: check.jump, role: 'jump' as const },
  ].sort((a, b) => a.objectAddress - b.objectAddress);
}
