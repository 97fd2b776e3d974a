/** Adds locations without lines to a profile's; equal ones have one row. */
import { callAddress, type LocationTable } from '../../../core/index.js';

export class LocationRows {
  readonly #base: LocationTable;
  /** Rows by mapping row, then by address. */
  readonly #rows = new Map<number, Map<number, number>>();
  readonly #mappings: number[] = [];
  readonly #addresses: number[] = [];

  /** @param base its rows keep their numbers; addresses of user space in it are found again */
  constructor(base: LocationTable) {
    this.#base = base;
    for (let row = 0; row < base.length; row++) {
      if (base.lineStart[row] === base.lineStart[row + 1]) {
        this.#rowsOf(base.mapping[row]!).set(Number(base.address[row]!), row);
      }
    }
  }

  /** @param isExact the pc is not a return address */
  row(mapping: number, pc: number, isExact: boolean): number {
    const address = isExact ? pc : callAddress(pc);
    const rows = this.#rowsOf(mapping);
    let row = rows.get(address);
    if (row === undefined) {
      row = this.#base.length + this.#addresses.push(address) - 1;
      this.#mappings.push(mapping);
      rows.set(address, row);
    }
    return row;
  }

  finish(): LocationTable {
    const { mapping, address, isFolded, lineStart, lines } = this.#base;
    const before = this.#base.length;
    const length = before + this.#addresses.length;
    const table = {
      length,
      mapping: new Uint32Array(length),
      address: new BigUint64Array(length),
      isFolded: new Uint8Array(length),
      lineStart: new Uint32Array(length + 1).fill(lines.length),
      lines,
    };
    table.mapping.set(mapping);
    table.mapping.set(this.#mappings, before);
    table.address.set(address);
    for (const [at, added] of this.#addresses.entries()) table.address[before + at] = BigInt(added);
    table.isFolded.set(isFolded);
    table.lineStart.set(lineStart);
    return table;
  }

  #rowsOf(mapping: number): Map<number, number> {
    let rows = this.#rows.get(mapping);
    if (rows === undefined) {
      rows = new Map();
      this.#rows.set(mapping, rows);
    }
    return rows;
  }
}
