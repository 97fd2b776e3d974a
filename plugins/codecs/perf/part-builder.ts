/** Samples of one part of a recording as a profile. */
import {
  callAddress,
  type LabelSpec,
  NO_ROW,
  type Profile,
  ProfileBuilder,
  type ProfileHeader,
} from '../../../core/index.js';
import { CaptureBuilder } from './capture-builder.js';
import type { CapturedRegisters } from './registers.js';
import type { CodeMapping, CodeSpace } from './space.js';

const MASK_64 = (1n << 64n) - 1n;

export class PartBuilder {
  readonly #builder: ProfileBuilder;
  readonly #mappingRows = new Map<CodeMapping, number>();
  /** By mapping, then by address. */
  readonly #locationRows = new Map<CodeMapping | undefined, Map<number, number>>();
  #samples = 0;
  #captures: CaptureBuilder | undefined;

  constructor(header: ProfileHeader) {
    this.#builder = new ProfileBuilder(header);
  }

  /**
   * Row of a location.
   * @param isCaller the address is that of a return: the location is the call's
   */
  location(space: CodeSpace, address: number, isCaller: boolean): number {
    const at = isCaller ? callAddress(address) : address;
    const mapping = space.find(at);
    let rows = this.#locationRows.get(mapping);
    if (rows === undefined) {
      rows = new Map();
      this.#locationRows.set(mapping, rows);
    }
    let row = rows.get(at);
    if (row === undefined) {
      row = this.#builder.addLocation({
        mapping: mapping === undefined ? NO_ROW : this.#mappingRow(mapping),
        address: unsigned(at),
      });
      rows.set(at, row);
    }
    return row;
  }

  addSample(stack: readonly number[], values: readonly (number | bigint)[], labels: readonly LabelSpec[]): void {
    this.#builder.addSample({ stack, values, labels });
    this.#samples++;
  }

  /** Gives the last sample what was captured of its stack. @param registers of the same machine for all @param stack is not copied */
  addCapture({ machine, values }: CapturedRegisters, space: CodeSpace, stack: Uint8Array): void {
    this.#captures ??= new CaptureBuilder(machine, (mapping) => this.#mappingRow(mapping));
    this.#captures.add(this.#samples - 1, space.mappings, values, stack);
  }

  /** Copies the captured stacks: what they lie in may be used again. */
  ownStacks(): void {
    this.#captures?.ownStacks();
  }

  finish(): Profile {
    const captures = this.#captures?.finish(this.#samples);
    const profile = this.#builder.finish();
    return captures === undefined ? profile : { ...profile, samples: { ...profile.samples, captures } };
  }

  #mappingRow(mapping: CodeMapping): number {
    let row = this.#mappingRows.get(mapping);
    if (row === undefined) {
      const { start, end, fileOffset, filename, buildId } = mapping;
      row = this.#builder.mapping({
        memoryStart: unsigned(start),
        memoryLimit: unsigned(end),
        fileOffset: fileOffset & MASK_64,
        filename,
        buildId,
      });
      this.#mappingRows.set(mapping, row);
    }
    return row;
  }
}

/** A signed address as the profile has it. */
const unsigned = (address: number): bigint => BigInt(address) & MASK_64;
