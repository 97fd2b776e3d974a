/**
 * Bounds checks of one function, found from their panics: every call of a panic function is walked back to the conditional jumps
 * that lead to it, and each of these to the instructions that set its flags.
 *
 *         cmp  rcx, rax            cmp  rcx, rax                cmp  rcx, rax
 *         jae  panic               jb   body  (loop rotation)   jge  out     (another jump on the same flags)
 *         …                        nop                          nop          (alignment)
 *   panic:                         jmp  panic                   jae  panic
 *         mov  …  (arguments)
 *         call runtime.panicIndex
 */
import { FormatError } from '../../formats/errors.js';
import { addressOf, Flow, Trait } from '../../formats/instructions.js';
import type { BoundsCheck } from './check.js';
import { type ControlFlow, isConditional, isTakenTo, predecessors } from './control-flow.js';
import type { PanicFunctions } from './panic-functions.js';

/** Instructions that one walk looks at: far above what compilers emit (10 between compare and jump, 4 before the call). */
const MAX_WALK = 512;

/** Of all walks in one function: a real one takes some ten a check, and has some thousand checks at most. */
const MAX_STEPS = 2 ** 21;

/** Steps that are left for a function. */
interface Steps {
  left: number;
}

/** A conditional jump, and the row to which it leads on the way to the panic. */
interface GuardingJump {
  readonly row: number;
  readonly panicSide: number;
}

/** @throws FormatError E_LIMIT when the jumps are so tangled that walking them takes more than 2^21 steps */
export function findBoundsChecks(flow: ControlFlow, functionIndex: number, panics: PanicFunctions): BoundsCheck[] {
  const { table } = flow;
  const steps: Steps = { left: MAX_STEPS };
  const checks: BoundsCheck[] = [];
  for (let row = 0; row < table.length; row++) {
    const target = table.target[row]!;
    if (table.flow[row] !== Flow.call || !panics.has(target)) continue;
    const check = panics.checkName(functionIndex, target, addressOf(table, row + 1));
    for (const jump of guardingJumps(flow, row, steps)) {
      checks.push({
        kind: 'boundcheck',
        check,
        compares: flagSetters(flow, jump.row, panics, steps).map((setter) => addressOf(table, setter)),
        jump: addressOf(table, jump.row),
        next: isTakenTo(table, jump.row, jump.panicSide) ? addressOf(table, jump.row + 1) : table.target[jump.row]!,
      });
    }
  }
  return checks;
}

/**
 * Conditional jumps after which nothing but the panic's arguments is prepared. Passes jumps, nops and moves; a call or any
 * computation ends the walk, since then the panic is no check's (an index that is known to be wrong panics without a condition).
 */
function guardingJumps(flow: ControlFlow, callRow: number, steps: Steps): GuardingJump[] {
  const { table } = flow;
  const found: GuardingJump[] = [];
  walkBack(flow, callRow, steps, (row, from) => {
    const kind = table.flow[row]!;
    if (isConditional(kind)) found.push({ row, panicSide: from });
    return kind === Flow.jump || (kind === Flow.next && (table.traits[row]! & Trait.moves) !== 0);
  });
  return found;
}

/** Rows of the compares whose flags a conditional jump reads, over all ways that lead to it, ascending. */
function flagSetters(flow: ControlFlow, jumpRow: number, panics: PanicFunctions, steps: Steps): number[] {
  const { table } = flow;
  if (table.flow[jumpRow] === Flow.testBranch) return [];
  const found: number[] = [];
  walkBack(flow, jumpRow, steps, (row) => {
    const traits = table.traits[row]!;
    if ((traits & Trait.compares) !== 0) found.push(row);
    if ((traits & Trait.setsFlags) !== 0) return false;
    return table.flow[row] !== Flow.call || panics.keepsFlags(table.target[row]!);
  });
  return found.sort((a, b) => a - b);
}

/** Visits rows that may run before `startRow`, each once, nearest first; `visit` says whether to go on behind a row. */
function walkBack(
  flow: ControlFlow,
  startRow: number,
  steps: Steps,
  visit: (row: number, from: number) => boolean,
): void {
  const seen = new Set<number>();
  const queue = [startRow];
  for (let next = 0; next < queue.length; next++) {
    const from = queue[next]!;
    for (const row of predecessors(flow, from)) {
      if (seen.has(row)) continue;
      if (seen.size === MAX_WALK) return;
      if (steps.left-- === 0)
        throw new FormatError('E_LIMIT', 'control flow too tangled to walk', { limit: MAX_STEPS });
      seen.add(row);
      if (visit(row, from)) queue.push(row);
    }
  }
}
