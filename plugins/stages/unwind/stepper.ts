/** One step of a walk, by whichever means. */
import { CfiStepper } from './cfi-step.js';
import type { Ending } from './ending.js';
import { stepFramePointer } from './frame-pointer-step.js';
import type { FrameState } from './frame-state.js';
import { stepGo } from './go-step.js';
import { crossSignal } from './signal-return.js';
import type { Means } from './site.js';
import type { StackMemory } from './stack-memory.js';

export class Stepper {
  readonly #state: FrameState;
  readonly #memory: StackMemory;
  readonly #cfi: CfiStepper;

  constructor(state: FrameState, memory: StackMemory) {
    this.#state = state;
    this.#memory = memory;
    this.#cfi = new CfiStepper(state, memory);
  }

  /** Changes the state to the caller's. @returns how the stack ends here; undefined when it goes on */
  step(means: Means): Ending | undefined {
    switch (means.method) {
      case 'go':
        return stepGo(means.rule, this.#state, this.#memory);
      case 'cfi':
        return this.#cfi.step(means.table, means.rule);
      case 'signal_return':
        return crossSignal(this.#state, this.#memory);
      case 'frame_pointer':
        return stepFramePointer(this.#state, this.#memory);
      case 'none':
        return means.ending;
    }
  }
}
