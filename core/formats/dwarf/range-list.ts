/**
 * Range lists of DIEs whose code lies in several places: `.debug_rnglists` (DWARF 5, 7.25 and 7.28) and `.debug_ranges`
 * (DWARF 2 to 4, 7.23).
 */
import { FormatError } from '../errors.js';
import { DeadAddresses } from './address-ranges.js';
import { RangeEntry } from './constants.js';
import type { DwarfCursor, ImageBase } from './cursor.js';
import type { Encoding } from './form.js';
import type { SectionWindow } from './section-window.js';

/** Of one list; real ones have at most some thousands. */
const MAX_RANGES = 1 << 20;
/** Room for one entry: a kind and two numbers. */
const MAX_ENTRY_BYTES = 32;
const CHUNK_BYTES = 1 << 12;

/** Beginnings and ends in turn, of one list at a time. */
export class RangeBuffer {
  length = 0;
  #values = new Float64Array(64);

  get values(): Float64Array {
    return this.#values;
  }

  /** Empty and inverted ranges are left out. */
  push(low: number, high: number): void {
    if (!(low < high)) return;
    if (this.length === this.#values.length) {
      if (this.length === MAX_RANGES * 2) {
        throw new FormatError('E_LIMIT', 'too many ranges in one list', { got: this.length / 2, limit: MAX_RANGES });
      }
      const grown = new Float64Array(this.length * 2);
      grown.set(this.#values);
      this.#values = grown;
    }
    this.#values[this.length++] = low;
    this.#values[this.length++] = high;
  }
}

/** What a list's entries count from. */
export interface RangeContext {
  readonly encoding: Encoding;
  readonly imageBase: ImageBase;
  /** Object address of the unit. */
  readonly unitBase: number;
  /** Entry of the unit's address table. @throws FormatError */
  addressAt(index: number): number;
}

/** Puts the list at an offset of `.debug_rnglists` in place of what is in `into`. @throws FormatError E_DWARF_RANGES, E_TRUNCATED, E_LIMIT */
export function readRangeList(section: SectionWindow, offset: number, context: RangeContext, into: RangeBuffer): void {
  const { encoding, imageBase } = context;
  const dead = new DeadAddresses(imageBase, encoding.addressBytes);
  const entries = new EntryCursor(section, offset);
  let base = context.unitBase;
  into.length = 0;
  const push = (low: number, high: number) => {
    if (!dead.has(low)) into.push(low, high);
  };
  for (;;) {
    const cursor = entries.next();
    const address = () => cursor.address(encoding.addressBytes, imageBase);
    const kind = cursor.u8();
    switch (kind) {
      case RangeEntry.endOfList:
        return;
      case RangeEntry.baseAddressx:
        base = context.addressAt(cursor.uleb());
        if (dead.has(base)) base = Number.NaN;
        break;
      case RangeEntry.startxEndx: {
        const low = context.addressAt(cursor.uleb());
        push(low, context.addressAt(cursor.uleb()));
        break;
      }
      case RangeEntry.startxLength: {
        const low = context.addressAt(cursor.uleb());
        push(low, low + cursor.uleb());
        break;
      }
      case RangeEntry.offsetPair: {
        const low = base + cursor.uleb();
        push(low, base + cursor.uleb());
        break;
      }
      case RangeEntry.baseAddress:
        base = address();
        if (dead.has(base)) base = Number.NaN;
        break;
      case RangeEntry.startEnd: {
        const low = address();
        push(low, address());
        break;
      }
      case RangeEntry.startLength: {
        const low = address();
        push(low, low + cursor.uleb());
        break;
      }
      default:
        throw new FormatError('E_DWARF_RANGES', 'kind of range list entry not known', {
          section: section.name,
          offset: cursor.start + cursor.position - 1,
          got: kind,
          limit: RangeEntry.startLength,
        });
    }
  }
}

/** Puts the list at an offset of `.debug_ranges` in place of what is in `into`. @throws FormatError E_TRUNCATED, E_LIMIT */
export function readOldRangeList(
  section: SectionWindow,
  offset: number,
  context: RangeContext,
  into: RangeBuffer,
): void {
  const { encoding, imageBase } = context;
  const { addressBytes } = encoding;
  const dead = new DeadAddresses(imageBase, addressBytes);
  const entries = new EntryCursor(section, offset);
  // Undefined is absolute 0, from which addresses above 2^53 would not be exact.
  let base = dead.isZero(context.unitBase) ? undefined : context.unitBase;
  into.length = 0;
  for (;;) {
    const cursor = entries.next();
    const at = cursor.position;
    const low = cursor.unsigned(addressBytes);
    const high = cursor.unsigned(addressBytes);
    if (low === 0 && high === 0) return;
    const behind = cursor.position;
    if (isHighest(cursor.bytes, at, addressBytes)) {
      cursor.position = at + addressBytes;
      base = cursor.address(addressBytes, imageBase);
      if (dead.isZero(base)) base = undefined;
    } else if (base === undefined) {
      cursor.position = at;
      const start = cursor.address(addressBytes, imageBase);
      if (!dead.has(start)) into.push(start, cursor.address(addressBytes, imageBase));
    } else if (!dead.has(base + low)) {
      into.push(base + low, base + high);
    }
    cursor.position = behind;
  }
}

function isHighest(bytes: Uint8Array, at: number, length: number): boolean {
  for (let index = 0; index < length; index++) if (bytes[at + index] !== 0xff) return false;
  return true;
}

/** Over entries of a list, which may be longer than what a window holds. */
class EntryCursor {
  readonly #section: SectionWindow;
  #cursor: DwarfCursor;

  constructor(section: SectionWindow, offset: number) {
    this.#section = section;
    this.#cursor = section.cursorAt(offset, CHUNK_BYTES);
  }

  /** With room for one entry, unless the section ends. @throws FormatError E_TRUNCATED behind the section's end */
  next(): DwarfCursor {
    const cursor = this.#cursor;
    cursor.check();
    if (cursor.position + MAX_ENTRY_BYTES <= cursor.bytes.length) return cursor;
    const offset = cursor.start + cursor.position;
    if (offset >= this.#section.size) {
      throw new FormatError('E_TRUNCATED', 'range list without end', { section: this.#section.name, offset });
    }
    if (cursor.start + cursor.bytes.length < this.#section.size)
      this.#cursor = this.#section.cursorAt(offset, CHUNK_BYTES);
    return this.#cursor;
  }
}
