/**
 * Walks captured stacks from leaf to root. What was not captured is never guessed. The kernel walks; what it does not know, and steps that
 * are not plain, are done here.
 */
import { type CaptureTable, type RegisterFile, registersPerSample, type SampleTable } from '../../../core/index.js';
import type { UnwindOptions } from '../../../schemas/gen/options/unwind.js';
import { Audit } from './audit.js';
import { FrameState } from './frame-state.js';
import { BY_CFI, BY_FRAME_POINTER, BY_GO, BY_SIGNAL_FRAME, GOES_ON } from './kernel-codes.js';
import { codeOf } from './kernel-endings.js';
import { kernelSite } from './kernel-sites.js';
import type { Means, Site, Sites } from './site.js';
import { StackMemory } from './stack-memory.js';
import { Stepper } from './stepper.js';
import type { KernelSite, WalkHost, WalkKernel, Walks } from './walk-kernel.js';

/** How a frame's caller was found. */
export type Method = Exclude<Means['method'], 'none'>;

export class Walker implements WalkHost {
  /** Undefined unless asked for. */
  readonly audit: Audit | undefined;
  /** That walks came to, by number. */
  readonly sites: Site[] = [];
  readonly #captures: CaptureTable;
  readonly #state: FrameState;
  readonly #memory: StackMemory;
  readonly #stepper: Stepper;
  readonly #kernel: WalkKernel;
  readonly #finder: Sites;
  /** Steps that were taken here. */
  readonly #steps = { go: 0, cfi: 0, signal_return: 0, frame_pointer: 0 };

  /** @param kernel is this walker's until the next is made */
  constructor(
    kernel: WalkKernel,
    registers: RegisterFile,
    finder: Sites,
    captures: CaptureTable,
    { depth, audit }: Pick<UnwindOptions, 'depth' | 'audit'>,
  ) {
    this.#captures = captures;
    this.#state = new FrameState(registers);
    this.#memory = new StackMemory(registers.architecture === 'arm64' ? 'arm64' : 'amd64');
    this.#stepper = new Stepper(this.#state, this.#memory);
    this.#kernel = kernel;
    kernel.begin(registers, depth);
    this.#finder = finder;
    this.audit = audit ? new Audit(registers, this.#memory) : undefined;
  }

  /** Walks the stacks of all samples that have a capture. @param truncatedRow location at the root of those that end too early */
  walk(samples: SampleTable, truncatedRow: number | undefined): Walks {
    return this.#kernel.walk(samples, this.#captures, truncatedRow, this);
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

  siteAt(space: number, pc: number, isExact: boolean): KernelSite {
    const site = this.#finder.find(this.#captures.spaces[space]!, pc, isExact);
    return kernelSite(site, this.sites.push(site) - 1, this.#state.file, this.audit !== undefined);
  }

  step(sample: number, siteNumber: number): number {
    const { architecture, registers, stacks } = this.#captures;
    const state = this.#state;
    const site = this.sites[siteNumber]!;
    this.#kernel.takeFrame(state);
    this.#memory.set(stacks[sample]!, registers[sample * registersPerSample[architecture] + state.file.stackPointer]!);
    this.audit?.compare(state, site);
    const ending = this.#stepper.step(site.means);
    this.#kernel.putFrame(state);
    if (ending !== undefined) return codeOf(ending);
    if (site.means.method !== 'none') this.#steps[site.means.method]++;
    return GOES_ON;
  }
}
