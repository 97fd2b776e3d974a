/**
 * `.debug_cu_index` of a `.dwp`: a hash table from DWO ids to where a unit's parts are in each section.
 * Source: DWARF 5, 7.3.5.3.
 */
import { FormatError } from '../errors.js';
import type { ByteSource } from '../source.js';
import { DwarfCursor } from './cursor.js';

const SECTION = '.debug_cu_index';
const HEADER_BYTES = 16;
/** There are eight kinds of sections. */
const MAX_COLUMNS = 32;

export class PackageIndex {
  readonly version: number;
  readonly #source: ByteSource;
  /** A power of two. */
  readonly #slots: number;
  readonly #rows: number;
  /** Kinds of sections, by column. */
  readonly #kinds: readonly number[];
  readonly #columnBytes: number;

  /** @throws FormatError E_DWARF_INDEX for a version that is not known, or a size that cannot be */
  constructor(source: ByteSource) {
    this.#source = source;
    const cursor = new DwarfCursor(source.read(0, Math.min(HEADER_BYTES, source.size), SECTION), SECTION);
    const version = cursor.u32();
    // Version 5 has 16 bits of version and 16 of padding.
    this.version = version & 0xffff;
    const columns = cursor.u32();
    this.#rows = cursor.u32();
    this.#slots = cursor.u32();
    cursor.check();
    if (version !== 2 && version !== 5) spoilt('version of the index not supported', version, '2 or 5');
    const isPowerOfTwo = Number.isInteger(Math.log2(this.#slots));
    if (columns > MAX_COLUMNS || (this.#slots > 0 && !isPowerOfTwo))
      spoilt('size of the index', this.#slots, MAX_COLUMNS);
    this.#columnBytes = columns * 4;
    const kinds = this.#read(this.#tableStart, this.#columnBytes);
    this.#kinds = Array.from({ length: columns }, () => kinds.u32());
  }

  /** @returns undefined for an id that the package lacks @throws FormatError E_DWARF_INDEX, E_TRUNCATED */
  findRow(dwoId: bigint): number | undefined {
    const mask = this.#slots - 1;
    const low = Number(dwoId & 0xffffffffn);
    const high = Number(dwoId >> 32n);
    const step = ((high & mask) | 1) >>> 0;
    let slot = (low & mask) >>> 0;
    for (let left = this.#slots; left > 0; left--) {
      const row = this.#read(HEADER_BYTES + this.#slots * 8 + slot * 4, 4).u32();
      if (row === 0) return undefined;
      const key = this.#read(HEADER_BYTES + slot * 8, 8);
      if (key.u32() === low && key.u32() === high) {
        if (row > this.#rows) spoilt('row of the index not in its table', row, this.#rows);
        return row;
      }
      slot = ((slot + step) & mask) >>> 0;
    }
    return undefined;
  }

  /** Where the part of a row begins in the section of a kind; 0 for one that the package lacks. */
  offset(row: number, kind: number): number {
    const column = this.#kinds.indexOf(kind);
    if (column < 0) return 0;
    // The first row of the table has the kinds.
    return this.#read(this.#tableStart + row * this.#columnBytes + column * 4, 4).u32();
  }

  get #tableStart(): number {
    return HEADER_BYTES + this.#slots * 12;
  }

  #read(offset: number, length: number): DwarfCursor {
    return new DwarfCursor(this.#source.read(offset, length, SECTION), SECTION, offset);
  }
}

function spoilt(message: string, got: number, limit: number | string): never {
  throw new FormatError('E_DWARF_INDEX', message, { section: SECTION, got, limit });
}
