/** What is read of a binary on first use and kept until it is released, whatever its format. */
import { type Dwarf, openDwarf } from '../formats/dwarf/dwarf.js';
import type { DebugSections } from '../formats/dwarf/sections.js';
import { openGoTable } from '../formats/gopclntab/go-table.js';
import type { GoTable } from '../formats/gopclntab/table.js';
import type { ObjectImage } from '../formats/image.js';
import type { Budget } from '../formats/limits.js';
import type { LoadedSegment } from '../formats/segment-image.js';
import type { Segment } from './binary.js';

export class LazyTables {
  readonly #image: ObjectImage;
  readonly #debug: DebugSections;
  readonly #budget: Budget;
  #go: { readonly table: GoTable | undefined } | undefined;
  #dwarf: { readonly read: Dwarf | undefined } | undefined;

  constructor(image: ObjectImage, debug: DebugSections, budget: Budget) {
    this.#image = image;
    this.#debug = debug;
    this.#budget = budget;
  }

  /** @throws FormatError of `openGoTable` */
  get go(): GoTable | undefined {
    this.#go ??= { table: openGoTable(this.#image, this.#budget) };
    return this.#go.table;
  }

  /** @throws FormatError of `openDwarf` */
  get dwarf(): Dwarf | undefined {
    this.#dwarf ??= { read: openDwarf(this.#debug) };
    return this.#dwarf.read;
  }

  get heldBytes(): number {
    return (this.#go?.table?.heldBytes ?? 0) + (this.#dwarf?.read?.heldBytes ?? 0);
  }

  release(): void {
    this.#go = undefined;
    this.#dwarf = undefined;
  }
}

export function segmentsOf(image: { readonly segments: readonly LoadedSegment[] }): Segment[] {
  return image.segments.map(({ objectAddress, memoryBytes, fileOffset, size, executable }) => ({
    objectAddress,
    memoryBytes,
    fileOffset,
    fileBytes: size,
    executable,
  }));
}
