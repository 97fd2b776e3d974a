/** Sections of range lists in a kernel, which reads the lists itself that refer to no other section (kernels/dwarf/range-lists.ts). */
import { FormatError } from '../errors.js';
import type { Address, DwarfKernel } from './kernel.js';
import type { SectionWindow } from './section-window.js';

/** Of a larger section lists are read one by one: a copy would be most of the kernel's memory. */
const MAX_BYTES = 1 << 23;
/** Behind the copy: numbers that are cut end there. */
const ZEROS = 32;

/** A copy of a section. */
export class KernelSection {
  readonly bytes: number;
  readonly #section: SectionWindow;
  #copy: { readonly kernel: DwarfKernel; readonly address: Address } | undefined;

  private constructor(section: SectionWindow) {
    this.#section = section;
    this.bytes = section.size;
  }

  /** @returns undefined for a section that is too large */
  static of(section: SectionWindow): KernelSection | undefined {
    return section.size <= MAX_BYTES ? new KernelSection(section) : undefined;
  }

  /** Where it is in a kernel, which gets it when it has it not yet; 0 for a section that cannot be read: whoever reads a list says so. */
  in(kernel: DwarfKernel): Address {
    if (this.#copy?.kernel !== kernel) this.#copy = { kernel, address: this.#attempt(kernel) };
    return this.#copy.address;
  }

  #attempt(kernel: DwarfKernel): Address {
    try {
      return this.#put(kernel);
    } catch (error) {
      if (error instanceof FormatError) return 0;
      throw error;
    }
  }

  #put(kernel: DwarfKernel): Address {
    const { bytes, position } = this.#section.cursorAt(0, this.bytes);
    const address = kernel.exports.allocate(this.bytes + ZEROS);
    const copy = kernel.bytes.subarray(address >>> 0).subarray(0, this.bytes + ZEROS);
    copy.set(bytes.subarray(position, position + this.bytes));
    copy.fill(0, this.bytes);
    return address;
  }
}

/** The lists of one unit. */
export interface UnitRangeLists {
  readonly section: KernelSection;
  readonly version: number;
  readonly addressBytes: 4 | 8;
  readonly offsetBytes: 4 | 8;
  /** Into the section: what indexes of lists count from, and their offsets. */
  readonly listsBase: number;
  /** Object address that lists count from. */
  readonly unitBase: number;
}
