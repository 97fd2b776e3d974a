/** Compares, frame by frame, the callers that all applicable means would find with the one that was taken. */
import type { RegisterFile } from '../../../core/index.js';
import { FrameState } from './frame-state.js';
import type { Means, Site } from './site.js';
import type { StackMemory } from './stack-memory.js';
import { Stepper } from './stepper.js';

/** How often one means found another caller than the one that was taken, in one file. */
export interface AuditRow {
  readonly file: string;
  /** "go", "frame_pointer", or the section of the table. */
  readonly taken: string;
  readonly other: string;
  readonly same: number;
  readonly different: number;
  /** Runtime addresses of the first frames that differ, in order. */
  readonly places: readonly number[];
}

const MAX_PLACES = 5;

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
    this.#rows.set(keyOf(row), known === undefined ? counted : sum(known, counted));
  }
}

/** Rows in order, those of one key added up. */
export function mergeAuditRows(rows: readonly AuditRow[]): AuditRow[] {
  const merged = new Map<string, AuditRow>();
  for (const row of rows) {
    const known = merged.get(keyOf(row));
    merged.set(keyOf(row), known === undefined ? row : sum(known, row));
  }
  return [...merged].sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0)).map(([, row]) => row);
}

const keyOf = ({ file, taken, other }: AuditRow): string => `${file}\0${taken}\0${other}`;

/** The lowest places are kept, so that the order in which rows are merged does not show. */
function sum(a: AuditRow, b: AuditRow): AuditRow {
  const places = [...new Set([...a.places, ...b.places])].sort((x, y) => x - y).slice(0, MAX_PLACES);
  return { ...a, same: a.same + b.same, different: a.different + b.different, places };
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
