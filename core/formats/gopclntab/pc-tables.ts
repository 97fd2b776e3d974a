/**
 * pc-value tables decoded whole and kept, for questions about many places of few functions: a walk from a big function's entry for each
 * of them is most of what symbolizing would take.
 */
import { FormatError } from '../errors.js';
import { PcValues } from './pc-value.js';

/** Numbers that the arena has room for at first, and that it is emptied at, to be filled anew. */
const FIRST_LENGTH = 1 << 18;
const MAX_LENGTH = 1 << 21;

export class PcTables {
  readonly #bytes: Uint8Array;
  readonly #quantum: number;
  /**
   * All decoded tables (an array for each would cost more than decoding it): number of ranges, then of each its end, in bytes from the
   * function's entry, and its value.
   */
  #arena = new Int32Array(FIRST_LENGTH);
  #used = 0;
  /** Places in the arena by offset: functions share tables that are alike. */
  readonly #places = new Map<number, number>();

  /** @param bytes that hold the tables */
  constructor(bytes: Uint8Array, quantum: number) {
    this.#bytes = bytes;
    this.#quantum = quantum;
  }

  get heldBytes(): number {
    return this.#arena.byteLength;
  }

  /**
   * @param offset of the table into the bytes
   * @param codeBytes of the function: see `PcValues`
   * @param at bytes from the function's entry
   * @returns undefined behind the table's end
   * @throws FormatError as `PcValues.next`, for a table that is spoilt anywhere
   */
  valueAt(offset: number, codeBytes: number, at: number): number | undefined {
    const place = this.#places.get(offset) ?? this.#decode(offset, codeBytes);
    const arena = this.#arena;
    const count = arena[place]!;
    let low = 0;
    let high = count;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (arena[place + 1 + 2 * middle]! <= at) low = middle + 1;
      else high = middle;
    }
    return low === count ? undefined : arena[place + 2 + 2 * low];
  }

  /** What a walk with `PcValues` gives, in a loop without calls. @returns the place in the arena */
  #decode(offset: number, codeBytes: number): number {
    const bytes = this.#bytes;
    const quantum = this.#quantum;
    if (this.#used > MAX_LENGTH) {
      this.#places.clear();
      this.#used = 0;
    }
    const place = this.#used;
    let arena = this.#arena;
    let used = place + 1;
    let position = offset;
    let value = -1;
    let end = 0;
    for (let ranges = 0; ; ranges++) {
      if (used + 2 > arena.length) arena = this.#grow();
      let byte = bytes[position++]!;
      let delta = byte & 0x7f;
      for (let shift = 7; byte >= 0x80 && shift < 35; shift += 7) {
        byte = bytes[position++]!;
        delta |= (byte & 0x7f) << shift;
      }
      if (delta === 0 && end !== 0 && byte < 0x80) {
        arena[place] = ranges;
        break;
      }
      let lengthByte = bytes[position++]!;
      let length = lengthByte & 0x7f;
      for (let shift = 7; lengthByte >= 0x80 && shift < 35; shift += 7) {
        lengthByte = bytes[position++]!;
        length |= (lengthByte & 0x7f) << shift;
      }
      value = (value + ((delta >>> 1) ^ -(delta & 1))) | 0;
      end += (length >>> 0) * quantum;
      const isSound = byte < 0x80 && lengthByte < 0x80 && end <= codeBytes && ranges <= 2 * codeBytes + 16;
      if (!isSound) this.#refuse(offset, codeBytes);
      arena[used++] = end;
      arena[used++] = value;
    }
    this.#used = used;
    this.#places.set(offset, place);
    return place;
  }

  /** @throws FormatError that says what is wrong with a table */
  #refuse(offset: number, codeBytes: number): never {
    const values = new PcValues(this.#bytes, offset, this.#quantum, codeBytes);
    while (values.next());
    throw new FormatError('E_GO_PCVALUE', 'pc-value table is spoilt', {
      section: '.gopclntab pc-value tables',
      offset,
    });
  }

  #grow(): Int32Array<ArrayBuffer> {
    const larger = new Int32Array(2 * this.#arena.length);
    larger.set(this.#arena);
    this.#arena = larger;
    return larger;
  }
}
