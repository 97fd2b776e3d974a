/**
 * pc-value tables: a value for every range of pcs of one function.
 *
 * Two varints a range: the zigzag delta of the value (from −1), and the range's length in quanta. A value delta of 0 ends the
 * table, except as its first.
 *
 *     02 0a  01 05  00      value 0 for 10 quanta, −1 for 5, end
 *
 * Source: go12symtab "PC-Value Table Encoding"; Go src/runtime/symtab.go pcvalue, step.
 */
import { FormatError } from '../errors.js';

/** Walks one table; the fields are those of the range that `next` went to. */
export class PcValues {
  value = -1;
  /** End of the range, in bytes from the function's entry. */
  end = 0;
  readonly #bytes: Uint8Array;
  readonly #quantum: number;
  readonly #codeBytes: number;
  #offset: number;
  /** Ranges of no length are legal, but every function has an end: no table has more steps than this. */
  #stepsLeft: number;

  /**
   * @param bytes that hold the table
   * @param offset of the table into them
   * @param codeBytes from the function's entry to the next one's: no range ends behind it
   */
  constructor(bytes: Uint8Array, offset: number, quantum: number, codeBytes: number) {
    this.#bytes = bytes;
    this.#offset = offset;
    this.#quantum = quantum;
    this.#codeBytes = codeBytes;
    this.#stepsLeft = 2 * Math.ceil(codeBytes / quantum) + 16;
  }

  /**
   * To the next range.
   * @returns false at the end of the table
   * @throws FormatError E_VARINT, E_TRUNCATED, E_GO_PCVALUE for a table that goes on behind its function
   */
  next(): boolean {
    const valueDelta = this.#varint();
    if (valueDelta === 0 && this.end !== 0) return false;
    const length = this.#varint() * this.#quantum;
    this.value = (this.value + ((valueDelta >>> 1) ^ -(valueDelta & 1))) | 0;
    this.end += length;
    if (this.end > this.#codeBytes || --this.#stepsLeft < 0) {
      this.#fail('E_GO_PCVALUE', 'pc-value table goes on behind the end of its function');
    }
    return true;
  }

  /** An unsigned varint of at most 32 bits. */
  #varint(): number {
    const bytes = this.#bytes;
    let byte = bytes[this.#offset++];
    if (byte === undefined) this.#fail('E_TRUNCATED', 'pc-value table without end');
    if (byte < 0x80) return byte;
    let result = byte & 0x7f;
    for (let shift = 7; shift < 35; shift += 7) {
      byte = bytes[this.#offset++];
      if (byte === undefined) this.#fail('E_TRUNCATED', 'pc-value table without end');
      result |= (byte & 0x7f) << shift;
      if (byte < 0x80) return result >>> 0;
    }
    return this.#fail('E_VARINT', 'varint of more than 5 bytes');
  }

  #fail(code: string, message: string): never {
    throw new FormatError(code, message, { section: '.gopclntab pc-value tables', offset: this.#offset });
  }
}
