/** kernels/unwind and its memory: walks with all that is known, and stops where the host has to go on. */
import { defineKernel, type KernelExports, type RegisterFile } from '../../../core/index.js';
import type { FrameState } from './frame-state.js';
import { unwindKernel } from './kernel.gen.js';
import { BY_HOST, METHODS, SITE_BYTES } from './kernel-codes.js';

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
  readonly placeStack: (bytes: number) => Address;
  readonly newSite: (words: number) => Address;
  readonly setPc: (pc: number, isExact: number) => void;
  readonly setHasLeftStack: (is: number) => void;
  readonly start: (space: number, pc: number, stackStart: number, stackBytes: number, firstBytes: number) => number;
  readonly goOnWith: (site: Address) => number;
  readonly goOn: () => number;
  readonly registers: Global;
  readonly frames: Global;
  readonly frameCount: Global;
  readonly current: Global;
  readonly steps: Global;
  readonly pc: Global;
  readonly isExact: Global;
  readonly hasLeftStack: Global;
}

const instantiate = defineKernel<UnwindExports>('unwind', unwindKernel);

/** arm64: pointer authentication has the bits from 48 on for its signature. */
const UNSIGNED_ADDRESS = (1n << 48n) - 1n;
const ALL_BITS = (1n << 64n) - 1n;

/** Most stacks use a part of what was captured: that much is copied at first, then so many times as much. */
const FIRST_BYTES = 1024;
const MORE = 4;

/** Words of a Site of kernels/unwind/site.ts behind its pc, in order. */
const SiteWord = { space: 2, isAskedExact: 3, isExact: 4, locationRow: 5, method: 6 } as const;

/** What the kernel needs of a site. */
export interface KernelSite {
  readonly isExact: boolean;
  readonly locationRow: number;
  /** One of kernel-codes.ts. */
  readonly method: number;
  /** Words, as kernels/unwind/step.ts takes them. */
  readonly rule: readonly number[];
}

/** Of one profile at a time. */
export class WalkKernel {
  readonly #exports: UnwindExports;
  #registerCount = 0;
  /** Rows of the memory's columns where these begin. */
  #registersAt = 0;
  #framesAt = 0;
  #bytes = new Uint8Array(0);
  #words = new Uint32Array(0);
  #doubles = new Float64Array(0);
  /** Of the walk: what was captured, its place in the kernel's memory, and how many bytes of it are there. */
  #stack: Uint8Array = new Uint8Array(0);
  #stackPlace = 0;
  #present = 0;

  constructor() {
    this.#exports = instantiate({ bringStack: (bytes: number) => this.#bringStack(bytes) });
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
    this.#look();
    this.#registersAt = this.#exports.registers.value >>> 3;
    this.#framesAt = this.#exports.frames.value >>> 2;
  }

  /**
   * Walks from the leaf.
   * @param captured registers by number from `first` on, the pc last of `width`
   * @returns one of kernel-codes.ts
   */
  start(space: number, captured: Float64Array, first: number, width: number, sp: number, stack: Uint8Array): number {
    this.#stack = stack;
    this.#stackPlace = this.#exports.placeStack(stack.length) >>> 0;
    this.#look();
    this.#present = 0;
    this.#bringStack(FIRST_BYTES);
    for (let number = 0; number < this.#registerCount; number++) {
      this.#doubles[this.#registersAt + number] = number < width - 1 ? captured[first + number]! : Number.NaN;
    }
    return this.#exports.start(space, captured[first + width - 1]!, sp, stack.length, this.#present);
  }

  /** Of the frame that is looked at. */
  get pc(): number {
    return this.#exports.pc.value;
  }

  get isExact(): boolean {
    return this.#exports.isExact.value !== 0;
  }

  /** See `FrameState`. */
  get hasLeftStack(): boolean {
    return this.#exports.hasLeftStack.value !== 0;
  }

  /** The frame's site, as `goOnWith` numbered it; 0 before there is one. */
  get site(): number {
    return this.#exports.current.value >>> 0;
  }

  /** Walks on with what is at `pc`. @param onSite gets the site's number before */
  goOnWith(space: number, site: KernelSite, onSite: (number: number) => void): number {
    const { pc, isExact } = this;
    const address = this.#exports.newSite(site.rule.length) >>> 0;
    this.#look();
    this.#doubles[address >>> 3] = pc;
    const at = address >>> 2;
    this.#words[at + SiteWord.space] = space;
    this.#words[at + SiteWord.isAskedExact] = isExact ? 1 : 0;
    this.#words[at + SiteWord.isExact] = site.isExact ? 1 : 0;
    this.#words[at + SiteWord.locationRow] = site.locationRow;
    this.#words[at + SiteWord.method] = site.method;
    this.#words.set(site.rule, at + SITE_BYTES / 4);
    onSite(address);
    const code = this.#exports.goOnWith(address);
    this.#look();
    return code;
  }

  /** The frame as the kernel has it goes to the host. */
  takeFrame(state: FrameState): void {
    state.registers.set(this.#doubles.subarray(this.#registersAt, this.#registersAt + this.#registerCount));
    state.pc = this.pc;
    state.isExact = this.isExact;
    state.hasLeftStack = this.hasLeftStack;
  }

  /** Walks on from the caller's frame, which a step of the host led to. */
  goOn(state: FrameState): number {
    this.#doubles.set(state.registers, this.#registersAt);
    this.#exports.setPc(state.pc, state.isExact ? 1 : 0);
    this.#exports.setHasLeftStack(state.hasLeftStack ? 1 : 0);
    return this.#exports.goOn();
  }

  get frameCount(): number {
    return this.#exports.frameCount.value;
  }

  /** Location row of a caller: 0 is the leaf's. */
  frame(index: number): number {
    return this.#words[this.#framesAt + index]!;
  }

  /** Steps that the kernel took, by method. */
  get steps(): readonly number[] {
    const first = this.#exports.steps.value >>> 2;
    return Array.from({ length: METHODS }, (_, method) => (method === BY_HOST ? 0 : this.#words[first + method]!));
  }

  /** @param bytes that are needed @returns how many there are then: more, since more will be asked for */
  #bringStack(bytes: number): number {
    this.#look();
    const wanted = Math.min(this.#stack.length, Math.max(bytes, MORE * this.#present));
    this.#bytes.set(this.#stack.subarray(this.#present, wanted), this.#stackPlace + this.#present);
    this.#present = wanted;
    return wanted;
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
