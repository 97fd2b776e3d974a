/** Compares, frame by frame, the callers that all applicable means would find with the one that was taken. */
import type { RegisterFile } from '../../../core/index.js';
import { type AuditRow, addRows, keyOf, mergeAuditRows } from './audit-rows.js';
import { FrameState } from './frame-state.js';
import type { Means, Site } from './site.js';
import type { StackMemory } from './stack-memory.js';
import { Stepper } from './stepper.js';

export class Audit {
  readonly #memory: StackMemory;
  readonly #taken: FrameState;
  readonly #other: FrameState;
  readonly #takenStepper: Stepper;
  readonly #otherStepper: Stepper;
  readonly #rows = new Map<string, AuditRow>();

  constructor(registers: RegisterFile, memory: StackMemory) {
    this.#memory = memory;
    this.#taken = new FrameState(registers);
    this.#other = new FrameState(registers);
    this.#takenStepper = new Stepper(this.#taken, memory);
    this.#otherStepper = new Stepper(this.#other, memory);
  }

  /** @param state of the frame; it is not changed */
  compare(state: FrameState, { means, others, module }: Site): void {
    if (others.length === 0 || this.#memory.end === this.#memory.start) return;
    const taken = outcome(this.#taken, this.#takenStepper, state, means);
    for (const one of others) {
      const isSame = outcome(this.#other, this.#otherStepper, state, one) === taken;
      this.#count(module?.name ?? '', label(means), label(one), isSame, state.pc);
    }
  }

  get rows(): readonly AuditRow[] {
    return mergeAuditRows([...this.#rows.values()]);
  }

  #count(file: string, taken: string, other: string, isSame: boolean, pc: number): void {
    const row = { file, taken, other, same: 0, different: 0, places: [] };
    const counted = isSame ? { ...row, same: 1 } : { ...row, different: 1, places: [pc] };
    const known = this.#rows.get(keyOf(row));
    this.#rows.set(keyOf(row), known === undefined ? counted : addRows(known, counted));
  }
}

/** Where the step leads: the caller's pc and stack pointer, or how the stack ends. */
function outcome(scratch: FrameState, stepper: Stepper, from: FrameState, means: Means): string {
  scratch.assign(from);
  const ending = stepper.step(means);
  return ending ?? `${scratch.pc} ${scratch.sp}`;
}

function label(means: Means): string {
  return means.method === 'cfi' ? means.table.section.name : means.method;
}
