/** What was captured of the stacks of one part, beside its samples. */
import { type AddressSpace, type CaptureTable, NO_ROW, registersPerSample } from '../../../core/index.js';
import type { Machine } from './registers.js';
import type { CodeMapping } from './space.js';

const NO_STACK = new Uint8Array(0);

export class CaptureBuilder {
  readonly #machine: Machine;
  readonly #rowOfMapping: (mapping: CodeMapping) => number;
  readonly #spaces: AddressSpace[] = [];
  /** By the mappings that a space was made of. */
  readonly #spaceRows = new Map<readonly CodeMapping[], number>();
  readonly #spaceOfSample: number[] = [];
  #stacks: Uint8Array[] = [];
  /** By sample; those without captures have 0 and no bytes. */
  #registers: Float64Array;

  constructor(machine: Machine, rowOfMapping: (mapping: CodeMapping) => number) {
    this.#machine = machine;
    this.#rowOfMapping = rowOfMapping;
    this.#registers = new Float64Array(64 * registersPerSample[machine]);
  }

  /** @param sample row of it; rows that were left out since the last have no captures @param stack is not copied */
  add(sample: number, mappings: readonly CodeMapping[], registers: Float64Array, stack: Uint8Array): void {
    this.#passTo(sample);
    this.#spaceOfSample.push(this.#spaceRow(mappings));
    const place = sample * registersPerSample[this.#machine];
    if (place + registers.length > this.#registers.length) {
      const larger = new Float64Array(2 * (place + registers.length));
      larger.set(this.#registers);
      this.#registers = larger;
    }
    this.#registers.set(registers, place);
    this.#stacks.push(stack);
  }

  /** Copies the stacks: what they lie in may be used again. */
  ownStacks(): void {
    this.#stacks = this.#stacks.map((stack) => stack.slice());
  }

  /** @param samples all of the part */
  finish(samples: number): CaptureTable {
    this.#passTo(samples);
    const registers = new Float64Array(samples * registersPerSample[this.#machine]);
    registers.set(this.#registers.subarray(0, registers.length));
    return {
      architecture: this.#machine,
      space: Uint32Array.from(this.#spaceOfSample),
      spaces: this.#spaces,
      registers,
      stacks: this.#stacks,
    };
  }

  #passTo(sample: number): void {
    while (this.#spaceOfSample.length < sample) {
      this.#spaceOfSample.push(NO_ROW);
      this.#stacks.push(NO_STACK);
    }
  }

  #spaceRow(mappings: readonly CodeMapping[]): number {
    let row = this.#spaceRows.get(mappings);
    if (row === undefined) {
      row = this.#spaces.length;
      this.#spaces.push({
        starts: Float64Array.from(mappings, ({ start }) => start),
        ends: Float64Array.from(mappings, ({ end }) => end),
        mapping: Uint32Array.from(mappings, (mapping) => this.#rowOfMapping(mapping)),
      });
      this.#spaceRows.set(mappings, row);
    }
    return row;
  }
}
