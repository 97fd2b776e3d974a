/** The functions of one table: their records and pc-value tables, by index. */
import { type FunctionIndex, findFunction } from './function-index.js';
import { FunctionRecord } from './function-record.js';
import type { PclntabHeader } from './header.js';
import { PcTables } from './pc-tables.js';
import { PcValues } from './pc-value.js';

export class Functions {
  readonly length: number;
  readonly #bytes: Uint8Array;
  readonly #view: DataView;
  readonly #header: PclntabHeader;
  readonly #index: FunctionIndex;
  readonly #pcTables: PcTables;

  /** @param bytes of the table, as the header's `heldFrom` says */
  constructor(bytes: Uint8Array, header: PclntabHeader, index: FunctionIndex) {
    this.length = index.length;
    this.#bytes = bytes;
    this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    this.#header = header;
    this.#index = index;
    this.#pcTables = new PcTables(bytes, header.quantum);
  }

  get heldBytes(): number {
    const { entries, records } = this.#index;
    return entries.byteLength + records.byteLength + this.#pcTables.heldBytes;
  }

  /** @param relative to the entries' base */
  find(relative: number): number {
    return findFunction(this.#index, relative);
  }

  relativeEntry(index: number): number {
    const entry = this.#index.entries[index];
    if (entry === undefined || index >= this.length) throw new RangeError(`function ${index} of ${this.length}`);
    return entry;
  }

  /** Bytes to the next function, padding included. */
  codeBytes(index: number): number {
    return this.#index.entries[index + 1]! - this.relativeEntry(index);
  }

  /** @throws FormatError E_GO_FUNC */
  record(index: number): FunctionRecord {
    const record = this.#index.records[index];
    if (record === undefined) throw new RangeError(`function ${index} of ${this.length}`);
    return new FunctionRecord(this.#view, this.#header.records + record, this.#header);
  }

  /** @param offset of a pc-value table as the record has it; 0: there is none */
  values(index: number, offset: number): PcValues | undefined {
    if (offset === 0) return undefined;
    const { pcTables, quantum } = this.#header;
    return new PcValues(this.#bytes, pcTables + offset, quantum, this.codeBytes(index));
  }

  /** @param at bytes from the function's entry @returns undefined without a table and behind its end */
  valueAt(index: number, offset: number, at: number): number | undefined {
    if (offset === 0) return undefined;
    return this.#pcTables.valueAt(this.#header.pcTables + offset, this.codeBytes(index), at);
  }
}
