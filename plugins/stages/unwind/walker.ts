/**
 * Walks one captured stack from its leaf to its root. What was not captured is never guessed. The kernel walks; what it does not know,
 * and steps that are not plain, are done here.
 */
import { type AddressSpace, type CaptureTable, type RegisterFile, registersPerSample } from '../../../core/index.js';
import { Audit } from './audit.js';
import type { Ending } from './ending.js';
import { FrameState } from './frame-state.js';
import { BY_CFI, BY_FRAME_POINTER, BY_GO, BY_SIGNAL_FRAME, HOST_STEP, UNKNOWN_SITE } from './kernel-codes.js';
import { endingOf } from './kernel-endings.js';
import { kernelSite } from './kernel-sites.js';
import type { Module } from './modules.js';
import type { Means, Site, Sites } from './site.js';
import { StackMemory } from './stack-memory.js';
import { Stepper } from './stepper.js';
import type { WalkKernel } from './walk-kernel.js';

/** How a frame's caller was found. */
export type Method = Exclude<Means['method'], 'none'>;

export class Walker {
  /** Undefined unless asked for. */
  readonly audit: Audit | undefined;
  readonly #state: FrameState;
  readonly #memory: StackMemory;
  readonly #stepper: Stepper;
  readonly #kernel: WalkKernel;
  readonly #sites: Sites;
  /** As the kernel numbers them. */
  readonly #known = new Map<number, Site>();
  /** Steps that were taken here. */
  readonly #steps = { go: 0, cfi: 0, signal_return: 0, frame_pointer: 0 };

  /** @param kernel is this walker's until the next is made @param depth frames at most, the leaf included */
  constructor(kernel: WalkKernel, registers: RegisterFile, sites: Sites, depth: number, isAudited: boolean) {
    this.#state = new FrameState(registers);
    this.#memory = new StackMemory(registers.architecture === 'arm64' ? 'arm64' : 'amd64');
    this.#stepper = new Stepper(this.#state, this.#memory);
    this.#kernel = kernel;
    kernel.begin(registers, depth);
    this.#sites = sites;
    this.audit = isAudited ? new Audit(registers, this.#memory) : undefined;
  }

  /** Walks the stack of a sample that has a capture. The callers are `frame(0 … frameCount − 1)` until the next walk. */
  walk(captures: CaptureTable, sample: number): Ending {
    const { architecture, registers, stacks } = captures;
    const row = captures.space[sample]!;
    const space = captures.spaces[row]!;
    const width = registersPerSample[architecture];
    const sp = registers[sample * width + this.#state.file.stackPointer]!;
    const stack = stacks[sample]!;
    let code = this.#kernel.start(row, registers, sample * width, width, sp, stack);
    for (;;) {
      if (code === UNKNOWN_SITE) code = this.#goToUnknown(space, row);
      else if (code === HOST_STEP) {
        this.#memory.set(stack, sp);
        const ending = this.#step();
        if (ending !== undefined) return onStack(ending, this.#state.hasLeftStack);
        code = this.#kernel.goOn(this.#state);
      } else return onStack(endingOf(code), this.#kernel.hasLeftStack);
    }
  }

  get frameCount(): number {
    return this.#kernel.frameCount;
  }

  /** Location row of a caller, leaf's caller first. */
  frame(index: number): number {
    return this.#kernel.frame(index);
  }

  /** Where the last walk ended: for the report. */
  get lastModule(): Module | undefined {
    return this.#known.get(this.#kernel.site)?.module;
  }

  /** Steps of all walks. */
  get steps(): { readonly [method in Method]: number } {
    const { go, cfi, signal_return, frame_pointer } = this.#steps;
    const { steps } = this.#kernel;
    return {
      go: go + steps[BY_GO]!,
      cfi: cfi + steps[BY_CFI]! + steps[BY_SIGNAL_FRAME]!,
      signal_return,
      frame_pointer: frame_pointer + steps[BY_FRAME_POINTER]!,
    };
  }

  #goToUnknown(space: AddressSpace, row: number): number {
    const { pc, isExact } = this.#kernel;
    const site = this.#sites.find(space, pc, isExact);
    const forKernel = kernelSite(site, this.#state.file, this.audit !== undefined);
    return this.#kernel.goOnWith(row, forKernel, (number) => this.#known.set(number, site));
  }

  /** @returns how the stack ends here; undefined when it goes on */
  #step(): Ending | undefined {
    const state = this.#state;
    const site = this.#known.get(this.#kernel.site)!;
    this.#kernel.takeFrame(state);
    this.audit?.compare(state, site);
    const ending = this.#stepper.step(site.means);
    if (ending === undefined && site.means.method !== 'none') this.#steps[site.means.method]++;
    return ending;
  }
}

function onStack(ending: Ending, hasLeftStack: boolean): Ending {
  const isUnread = ending === 'bad_read' || ending === 'truncated';
  return isUnread && hasLeftStack ? 'stack_switch' : ending;
}
