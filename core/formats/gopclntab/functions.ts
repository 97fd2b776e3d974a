/** The functions of one table: their records and pc-value tables, by index. */
import { FormatError } from '../errors.js';
import type { FunctionIndex } from './function-index.js';
import { FunctionRecord } from './function-record.js';
import type { PclntabHeader } from './header.js';
import { type HeldTexts, PclnKernel } from './kernel.js';
import { MAX_PLACES, OUT_OF_MEMORY, SPOILT_RECORD, UNANSWERED } from './kernel-codes.js';
import { PcValues } from './pc-value.js';
import { GO_ROW_WORDS, type GoFrameRows } from './table.js';

/** Frames of a place that are looked for at once with those of others. */
const MAX_DEPTH = 1 << 10;

export class Functions {
  readonly length: number;
  readonly #view: DataView;
  readonly #header: PclntabHeader;
  readonly #kernel: PclnKernel;

  /**
   * @param bytes of the table, as the header's `heldFrom` says: they are copied
   * @param texts parts that `frameRows` needs; without them it answers nothing
   * @throws FormatError E_LIMIT
   */
  constructor(bytes: Uint8Array, header: PclntabHeader, index: FunctionIndex, texts?: HeldTexts) {
    this.length = index.length;
    this.#header = header;
    this.#kernel = new PclnKernel(bytes, header, index, texts, (problem, value, codeBytes) => {
      if (problem === OUT_OF_MEMORY) refuseTable(value >>> 0);
      if (problem === SPOILT_RECORD) this.#refuseRecord(value >>> 0);
      this.#refuseValues(value >>> 0, codeBytes >>> 0);
    });
    const { buffer, byteOffset, byteLength } = this.#kernel.bytes;
    this.#view = new DataView(buffer, byteOffset, byteLength);
  }

  /** What is held of the table. */
  get held(): DataView {
    return this.#view;
  }

  get heldBytes(): number {
    return this.#kernel.heldBytes;
  }

  /** @param relative to the entries' base @returns −1 outside */
  find(relative: number): number {
    return this.#kernel.exports.findFunction(relative);
  }

  relativeEntry(index: number): number {
    const entry = this.#kernel.entries[index];
    if (entry === undefined || index >= this.length) throw new RangeError(`function ${index} of ${this.length}`);
    return entry;
  }

  /** Bytes to the next function, padding included. */
  codeBytes(index: number): number {
    return this.#kernel.entries[index + 1]! - this.relativeEntry(index);
  }

  /** @throws FormatError E_GO_FUNC */
  record(index: number): FunctionRecord {
    const record = this.#kernel.records[index];
    if (record === undefined) throw new RangeError(`function ${index} of ${this.length}`);
    return new FunctionRecord(this.#view, this.#header.records + record, this.#header);
  }

  /** @param offset of a pc-value table as the record has it; 0: there is none */
  values(index: number, offset: number): PcValues | undefined {
    if (offset === 0) return undefined;
    const { pcTables, quantum } = this.#header;
    return new PcValues(this.#kernel.bytes, pcTables + offset, quantum, this.codeBytes(index));
  }

  /**
   * @param at bytes from the function's entry @returns undefined without a table and behind its end
   * @throws FormatError as `PcValues.next`, for a table that is spoilt anywhere
   */
  valueAt(index: number, offset: number, at: number): number | undefined {
    const { exports } = this.#kernel;
    const value = exports.valueAt(offset, this.codeBytes(index), at);
    return exports.isFound.value === 0 ? undefined : value;
  }

  /** Which pcdata table has rows of the inline tree, and which word of funcdata says where that is: for places. */
  useInlineNumbers(pcdata: number, funcdata: number): void {
    this.#kernel.exports.useInlineNumbers(pcdata, funcdata);
  }

  /**
   * From Go 1.12 on.
   * @param relative to the entries' base
   * @returns the place by `PlaceWord`, good until the next one is asked for; undefined in no function and in padding
   * @throws FormatError E_GO_FUNC, those of `valueAt`
   */
  placeAt(relative: number): Int32Array | undefined {
    return this.#kernel.exports.enter(relative) === 0 ? undefined : this.#kernel.place;
  }

  /** Puts another place of the same function there. @param at bytes from its entry @throws as `placeAt` */
  movePlace(at: number): void {
    this.#kernel.exports.move(at);
  }

  /** Says where inline trees are. @param offset behind the first byte that is held */
  useTrees(offset: number): void {
    this.#kernel.exports.useTrees(offset);
  }

  /**
   * Frames of many places, from 1.20 on.
   * @param relatives to the entries' base, MAX_PLACES at most
   * @returns as `GoTable.frameRows`, without the tables of texts
   */
  frameRows(relatives: Float64Array, maxDepth: number): Pick<GoFrameRows, 'counts' | 'rows'> {
    const { exports } = this.#kernel;
    const { buffer } = exports.memory;
    const counts = new Int32Array(buffer, exports.counts.value >>> 0, relatives.length);
    new Float64Array(buffer, exports.places.value >>> 0, MAX_PLACES).set(relatives);
    for (let first = 0; ; first = exports.placesDone.value + 1) {
      try {
        exports.frameRows(first, relatives.length, Math.min(maxDepth, MAX_DEPTH));
        break;
      } catch (error) {
        if (!(error instanceof FormatError)) throw error;
        counts[exports.placesDone.value] = UNANSWERED;
      }
    }
    const rows = new Int32Array(buffer, exports.rows.value >>> 0, exports.rowCount.value * GO_ROW_WORDS);
    return { counts: counts.subarray(0, exports.placesDone.value), rows };
  }

  #refuseRecord(index: number): never {
    this.record(index);
    throw new FormatError('E_GO_FUNC', 'function record is spoilt', { section: '.gopclntab', got: index });
  }

  #refuseValues(offset: number, codeBytes: number): never {
    const { pcTables, quantum } = this.#header;
    const values = new PcValues(this.#kernel.bytes, pcTables + offset, quantum, codeBytes);
    while (values.next());
    throw new FormatError('E_GO_PCVALUE', 'pc-value table is spoilt', {
      section: '.gopclntab pc-value tables',
      offset: pcTables + offset,
    });
  }
}

function refuseTable(got: number): never {
  const place = { section: '.gopclntab', got, limit: 2 ** 32 };
  throw new FormatError('E_LIMIT', 'table needs more memory than a kernel can have', place);
}
