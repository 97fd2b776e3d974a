/** kernels/unwind and its memory: walks all stacks of a profile, and asks the host for what it does not know. */
import {
  type CaptureTable,
  defineKernel,
  type KernelExports,
  NO_ROW,
  type RegisterFile,
  registersPerSample,
  type SampleTable,
} from '../../../core/index.js';
import type { FrameState } from './frame-state.js';
import { unwindKernel } from './kernel.gen.js';
import { METHODS, SITE_BYTES } from './kernel-codes.js';

/** In the kernel's memory, as it returns it: signed. */
type Address = number;

interface Global {
  readonly value: number;
}

/** What kernels/unwind/index.ts exports. */
interface UnwindExports extends KernelExports {
  readonly setMachine: (count: number, sp: number, fp: number, returnAddress: number, volatileBits: number) => void;
  readonly setAddressMask: (mask: bigint) => void;
  readonly begin: (depthLimit: number) => void;
  readonly placeProfile: (samples: number, registerWidth: number, recordedRows: number) => void;
  readonly walkAll: (truncatedRow: number) => void;
  readonly newSite: (words: number) => Address;
  readonly setPc: (pc: number, isExact: number) => void;
  readonly setHasLeftStack: (is: number) => void;
  readonly registers: Global;
  readonly steps: Global;
  readonly pc: Global;
  readonly isExact: Global;
  readonly hasLeftStack: Global;
  readonly spaces: Global;
  readonly captured: Global;
  readonly stackBytes: Global;
  readonly recordedStart: Global;
  readonly recorded: Global;
  readonly endings: Global;
  readonly lastSites: Global;
  readonly stackStart: Global;
  readonly stackLocations: Global;
}

const instantiate = defineKernel<UnwindExports>('unwind', unwindKernel);

/** arm64: pointer authentication has the bits from 48 on for its signature. */
const UNSIGNED_ADDRESS = (1n << 48n) - 1n;
const ALL_BITS = (1n << 64n) - 1n;

/** Words of a Site of kernels/unwind/site.ts behind its pc, in order. */
const SiteWord = { space: 2, isAskedExact: 3, isExact: 4, locationRow: 5, method: 6, number: 7 } as const;

/** What the kernel needs of a site. */
export interface KernelSite {
  /** The host's, for `WalkHost`. */
  readonly number: number;
  readonly isExact: boolean;
  readonly locationRow: number;
  /** One of kernel-codes.ts. */
  readonly method: number;
  /** Words, as kernels/unwind/step.ts takes them. */
  readonly rule: readonly number[];
}

/** Whom the kernel asks while it walks. */
export interface WalkHost {
  /** What is at a pc that no walk came to before. @param space row of the captures' spaces */
  siteAt(space: number, pc: number, isExact: boolean): KernelSite;
  /** Takes the step from a frame: `takeFrame`, then `putFrame`. @returns GOES_ON or how the stack ends, of kernel-codes.ts */
  step(sample: number, site: number): number;
}

/** What the kernel made of the samples. */
export interface Walks {
  /** As `SampleTable` has them. */
  readonly stackStart: Uint32Array;
  readonly stackLocations: Uint32Array;
  /** By sample with a capture: how its stack ends, of kernel-codes.ts, and the number of the site where it does. */
  readonly endings: Uint32Array;
  readonly lastSites: Uint32Array;
}

/** Of one profile at a time. */
export class WalkKernel {
  readonly #exports: UnwindExports;
  #registerCount = 0;
  #bytes = new Uint8Array(0);
  #words = new Uint32Array(0);
  #doubles = new Float64Array(0);
  #stacks: CaptureTable['stacks'] = [];
  #host: WalkHost | undefined;

  constructor() {
    this.#exports = instantiate({
      bringStack: (sample: number, from: number, to: number, place: Address) => {
        this.#look();
        this.#bytes.set(this.#stacks[sample]!.subarray(from, to), place >>> 0);
      },
      makeSite: (space: number, pc: number, isExact: number) => this.#makeSite(space, pc, isExact),
      stepByHost: (sample: number, site: number) => this.#host!.step(sample, site),
    });
  }

  /** Sites of another profile follow. @param depth frames at most, the leaf included */
  begin(
    { architecture, names, stackPointer, framePointer, returnAddress, volatile }: RegisterFile,
    depth: number,
  ): void {
    this.#registerCount = names.length;
    const volatileBits = volatile.reduce((bits, register) => bits | (1 << register), 0);
    this.#exports.setMachine(names.length, stackPointer, framePointer, returnAddress, volatileBits);
    this.#exports.setAddressMask(architecture === 'arm64' ? UNSIGNED_ADDRESS : ALL_BITS);
    this.#exports.begin(depth);
  }

  /** @param truncatedRow location that is put at the root of stacks that end too early */
  walk(samples: SampleTable, captures: CaptureTable, truncatedRow: number | undefined, host: WalkHost): Walks {
    const { length, stackStart: recordedStart, stackLocations: recorded } = samples;
    const exports = this.#exports;
    exports.placeProfile(length, registersPerSample[captures.architecture], recorded.length);
    this.#look();
    this.#words.set(captures.space, exports.spaces.value >>> 2);
    this.#words.set(recordedStart, exports.recordedStart.value >>> 2);
    this.#words.set(recorded, exports.recorded.value >>> 2);
    this.#doubles.set(captures.registers, exports.captured.value >>> 3);
    const stackBytes = exports.stackBytes.value >>> 2;
    for (const [sample, stack] of captures.stacks.entries()) this.#words[stackBytes + sample] = stack.length;
    this.#stacks = captures.stacks;
    this.#host = host;
    try {
      exports.walkAll(truncatedRow ?? NO_ROW);
    } finally {
      this.#stacks = [];
      this.#host = undefined;
    }
    const stackStart = this.#column(exports.stackStart, length + 1);
    return {
      stackStart,
      stackLocations: this.#column(exports.stackLocations, stackStart[length]!),
      endings: this.#column(exports.endings, length),
      lastSites: this.#column(exports.lastSites, length),
    };
  }

  /** The frame that is looked at goes to the host. */
  takeFrame(state: FrameState): void {
    this.#look();
    const { registers, pc, isExact, hasLeftStack } = this.#exports;
    const first = registers.value >>> 3;
    state.registers.set(this.#doubles.subarray(first, first + this.#registerCount));
    state.pc = pc.value;
    state.isExact = isExact.value !== 0;
    state.hasLeftStack = hasLeftStack.value !== 0;
  }

  /** The frame that a step of the host led to. */
  putFrame(state: FrameState): void {
    this.#look();
    this.#doubles.set(state.registers, this.#exports.registers.value >>> 3);
    this.#exports.setPc(state.pc, state.isExact ? 1 : 0);
    this.#exports.setHasLeftStack(state.hasLeftStack ? 1 : 0);
  }

  /** Steps that the kernel took, by method. */
  get steps(): readonly number[] {
    return [...this.#column(this.#exports.steps, METHODS)];
  }

  #makeSite(space: number, pc: number, isExact: number): Address {
    const site = this.#host!.siteAt(space, pc, isExact !== 0);
    const address = this.#exports.newSite(site.rule.length) >>> 0;
    this.#look();
    this.#doubles[address >>> 3] = pc;
    const at = address >>> 2;
    this.#words[at + SiteWord.space] = space;
    this.#words[at + SiteWord.isAskedExact] = isExact;
    this.#words[at + SiteWord.isExact] = site.isExact ? 1 : 0;
    this.#words[at + SiteWord.locationRow] = site.locationRow;
    this.#words[at + SiteWord.method] = site.method;
    this.#words[at + SiteWord.number] = site.number;
    this.#words.set(site.rule, at + SITE_BYTES / 4);
    return address;
  }

  #column({ value }: Global, length: number): Uint32Array {
    this.#look();
    const first = value >>> 2;
    return this.#words.slice(first, first + length);
  }

  /** Memory that has grown is another buffer; of the one before, nothing is left. */
  #look(): void {
    if (this.#bytes.length > 0) return;
    const { buffer } = this.#exports.memory;
    this.#bytes = new Uint8Array(buffer);
    this.#words = new Uint32Array(buffer);
    this.#doubles = new Float64Array(buffer);
  }
}
