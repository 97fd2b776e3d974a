/** Samples of one part of a recording as a profile. */
import {
  type AddressSpace,
  callAddress,
  type LabelTable,
  NO_ROW,
  type Profile,
  ProfileBuilder,
  type ProfileHeader,
} from '../../../core/index.js';
import type { PartColumns } from './part-columns.js';
import type { CodeMapping, CodeSpace } from './space.js';

const MASK_64 = (1n << 64n) - 1n;

export class PartBuilder {
  readonly #builder: ProfileBuilder;
  readonly #mappingRows = new Map<CodeMapping, number>();
  /** By mapping, then by address. */
  readonly #locationRows = new Map<CodeMapping | undefined, Map<number, number>>();
  /** Of captures. */
  readonly #spaces: AddressSpace[] = [];
  /** Of the first samples: copies. */
  #ownStacks: readonly Uint8Array[] = [];

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

  /** @returns row of an address space among those of the captures: a new one */
  addSpace(mappings: readonly CodeMapping[]): number {
    this.#spaces.push({
      starts: Float64Array.from(mappings, ({ start }) => start),
      ends: Float64Array.from(mappings, ({ end }) => end),
      mapping: Uint32Array.from(mappings, (mapping) => this.#mappingRow(mapping)),
    });
    return this.#spaces.length - 1;
  }

  /** Row of a string, for labels. */
  string(text: string): number {
    return this.#builder.string(text);
  }

  /** Copies the stacks of the part so far: what they lie in may be used again. */
  ownStacks({ captures }: PartColumns): void {
    const stacks = captures?.stacks ?? [];
    const owned = this.#ownStacks;
    this.#ownStacks = stacks.map((stack, row) => owned[row] ?? stack.slice());
  }

  finish({ length, stackStart, stackLocations, values, captures }: PartColumns, labels: SampleLabels): Profile {
    const own = this.#ownStacks;
    const table = { length, stackStart, stackLocations, values, ...labels };
    const stacks = captures?.stacks.map((stack, row) => own[row] ?? stack) ?? [];
    return {
      ...this.#builder.finish(),
      samples: captures === undefined ? table : { ...table, captures: { ...captures, spaces: this.#spaces, stacks } },
    };
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

/** As `SampleTable` has them. */
export interface SampleLabels {
  readonly labelStart: Uint32Array;
  readonly labels: LabelTable;
}

/** A signed address as the profile has it. */
const unsigned = (address: number): bigint => BigInt(address) & MASK_64;
