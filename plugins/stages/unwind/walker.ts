/** Walks one captured stack from its leaf to its root. What was not captured is never guessed. */
import type { AddressSpace, RegisterFile } from '../../../core/index.js';
import { Audit } from './audit.js';
import type { Ending } from './ending.js';
import { FrameState } from './frame-state.js';
import type { Module } from './modules.js';
import type { Means, Sites } from './site.js';
import { StackMemory } from './stack-memory.js';
import { Stepper } from './stepper.js';

/** How a frame's caller was found. */
export type Method = Exclude<Means['method'], 'none'>;

export interface FrameSink {
  /** A caller, by its row of the table of locations. */
  onCaller(locationRow: number): void;
  onStep(method: Method): void;
}

export class Walker {
  readonly state: FrameState;
  readonly memory: StackMemory;
  /** Undefined unless asked for. */
  readonly audit: Audit | undefined;
  readonly #stepper: Stepper;
  readonly #depth: number;
  /** Where the last walk ended: for the report. */
  lastModule: Module | undefined;

  /** @param depth frames at most, the leaf included */
  constructor(registers: RegisterFile, depth: number, isAudited: boolean) {
    this.state = new FrameState(registers);
    this.memory = new StackMemory(registers.architecture === 'arm64' ? 'arm64' : 'amd64');
    this.#stepper = new Stepper(this.state, this.memory);
    this.audit = isAudited ? new Audit(registers, this.memory) : undefined;
    this.#depth = depth;
  }

  /** Walks from `state` over `memory`. The leaf is not given to the sink. */
  walk(space: AddressSpace, sites: Sites, sink: FrameSink): Ending {
    const { state } = this;
    let site = sites.at(space, state.pc, state.isExact);
    this.lastModule = site.module;
    for (let depth = 1; ; depth++) {
      this.audit?.compare(state, site);
      const ending = this.#stepper.step(site.means);
      if (ending !== undefined) {
        const isUnread = ending === 'bad_read' || ending === 'truncated';
        return isUnread && state.hasLeftStack ? 'stack_switch' : ending;
      }
      if (site.means.method !== 'none') sink.onStep(site.means.method);
      if (depth >= this.#depth) return 'depth_limit';
      site = sites.callerOf(site, space, state.pc, state.isExact);
      // A pc that no code is at was no return address.
      if (site.module === undefined) return 'no_mapping';
      state.isExact = site.isExact;
      this.lastModule = site.module;
      sink.onCaller(site.locationRow);
    }
  }
}
