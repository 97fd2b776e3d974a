/** A table of `.debug_abbrev`, which the kernel reads (kernels/dwarf/abbreviations.ts). Source: DWARF 5, 7.5.3. */
import { FormatError } from '../errors.js';
import type { Encoding } from './form.js';
import type { Address, DwarfKernel, TablePlace } from './kernel.js';
import type { SectionWindow } from './section-window.js';

/** What is looked at first, and at most: tables of 100 KB are large. */
const FIRST_BYTES = 1 << 12;
const MAX_BYTES = 1 << 24;

export class AbbreviationTable {
  readonly place: TablePlace;
  readonly #section: SectionWindow;
  readonly #encoding: Encoding;
  #read: { readonly kernel: DwarfKernel; readonly address: Address } | undefined;

  /** @param encoding of the units that it is for */
  constructor(section: SectionWindow, offset: number, encoding: Encoding) {
    this.#section = section;
    this.place = { section: section.name, offset };
    this.#encoding = encoding;
  }

  /** Where the table is in a kernel, which reads it when it has not yet. @throws FormatError E_TRUNCATED, E_LIMIT */
  in(kernel: DwarfKernel): Address {
    if (this.#read?.kernel !== kernel) this.#read = { kernel, address: this.#readTable(kernel) };
    return this.#read.address;
  }

  #readTable(kernel: DwarfKernel): Address {
    const { size } = this.#section;
    const { section, offset } = this.place;
    const left = size - offset;
    const layouts = kernel.layouts(this.#encoding);
    for (let bytes = FIRST_BYTES; ; bytes *= 16) {
      const cursor = this.#section.cursorAt(offset, Math.min(bytes, left));
      const part = cursor.bytes.subarray(cursor.position, cursor.position + bytes);
      const start = kernel.load(part, { section, start: offset, limit: size });
      const { addressBytes } = this.#encoding;
      const table = kernel.exports.readTable(start, start + part.length, part.length === left, layouts, addressBytes);
      if (table !== 0) return table;
      if (bytes >= MAX_BYTES) {
        throw new FormatError('E_LIMIT', 'table of abbreviations without end', { section, offset, limit: MAX_BYTES });
      }
    }
  }
}
