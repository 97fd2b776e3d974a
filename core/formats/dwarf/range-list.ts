/**
 * Range lists of DIEs whose code lies in several places: `.debug_rnglists` (DWARF 5, 7.25 and 7.28) and `.debug_ranges`
 * (DWARF 2 to 4, 7.23).
 */
import { FormatError } from '../errors.js';
import type { DeadAddresses } from './address-ranges.js';
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
  readonly dead: DeadAddresses;
  /** Object address of the unit. */
  readonly unitBase: number;
  /** Entry of the unit's address table. @throws FormatError */
  addressAt(index: number): number;
}

/** Puts the list at an offset of `.debug_rnglists` in place of what is in `into`. @throws FormatError E_DWARF_RANGES, E_TRUNCATED, E_LIMIT */
export function readRangeList(section: SectionWindow, offset: number, context: RangeContext, into: RangeBuffer): void {
  const { encoding, imageBase, dead } = context;
  let base = context.unitBase;
  let cursor = section.cursorAt(offset, CHUNK_BYTES);
  into.length = 0;
  for (;;) {
    if (cursor.position + MAX_ENTRY_BYTES > cursor.bytes.length) cursor = refill(section, cursor);
    const kind = cursor.u8();
    if (kind === RangeEntry.endOfList) return;
    if (kind === RangeEntry.baseAddressx || kind === RangeEntry.baseAddress) {
      base =
        kind === RangeEntry.baseAddress
          ? cursor.address(encoding.addressBytes, imageBase)
          : context.addressAt(cursor.uleb());
      if (dead.has(base)) base = Number.NaN;
      continue;
    }
    let low: number;
    let high: number;
    switch (kind) {
      case RangeEntry.offsetPair:
        low = base + cursor.uleb();
        high = base + cursor.uleb();
        break;
      case RangeEntry.startxEndx:
        low = context.addressAt(cursor.uleb());
        high = context.addressAt(cursor.uleb());
        break;
      case RangeEntry.startxLength:
        low = context.addressAt(cursor.uleb());
        high = low + cursor.uleb();
        break;
      case RangeEntry.startEnd:
        low = cursor.address(encoding.addressBytes, imageBase);
        high = cursor.address(encoding.addressBytes, imageBase);
        break;
      case RangeEntry.startLength:
        low = cursor.address(encoding.addressBytes, imageBase);
        high = low + cursor.uleb();
        break;
      default:
        throw new FormatError('E_DWARF_RANGES', 'kind of range list entry not known', {
          section: section.name,
          offset: cursor.start + cursor.position - 1,
          got: kind,
          limit: RangeEntry.startLength,
        });
    }
    if (low < high && !dead.has(low)) into.push(low, high);
  }
}

/** Puts the list at an offset of `.debug_ranges` in place of what is in `into`. @throws FormatError E_TRUNCATED, E_LIMIT */
export function readOldRangeList(
  section: SectionWindow,
  offset: number,
  context: RangeContext,
  into: RangeBuffer,
): void {
  const { encoding, imageBase, dead } = context;
  const { addressBytes } = encoding;
  // Undefined is absolute 0, from which addresses above 2^53 would not be exact.
  let base = dead.isZero(context.unitBase) ? undefined : context.unitBase;
  let cursor = section.cursorAt(offset, CHUNK_BYTES);
  into.length = 0;
  for (;;) {
    if (cursor.position + MAX_ENTRY_BYTES > cursor.bytes.length) cursor = refill(section, cursor);
    const at = cursor.position;
    const low = cursor.offset(addressBytes);
    const high = cursor.offset(addressBytes);
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

/** A cursor with room for one entry, unless the section ends. @throws FormatError E_TRUNCATED behind the section's end */
function refill(section: SectionWindow, cursor: DwarfCursor): DwarfCursor {
  cursor.check();
  const offset = cursor.start + cursor.position;
  if (offset < section.size) return section.cursorAt(offset, CHUNK_BYTES);
  throw new FormatError('E_TRUNCATED', 'range list without end', { section: section.name, offset });
}
