/** `.debug_aranges`: which unit an address belongs to, for the units that the compiler listed. Source: DWARF 5, 6.1.2. */
import { FormatError } from '../errors.js';
import { type AddressRanges, DeadAddresses } from './address-ranges.js';
import type { ImageBase } from './cursor.js';
import type { SectionWindow } from './section-window.js';
import { readPartLength } from './unit-header.js';

const MAX_HEADER_BYTES = 40;

/**
 * Adds the ranges of all sets, owned by the offset of their unit.
 * @returns offsets of the units that were listed, up to the first set that is spoilt
 */
export function readAddressRanges(section: SectionWindow, base: ImageBase, into: AddressRanges): Set<number> {
  const listed = new Set<number>();
  let offset = 0;
  while (offset < section.size) {
    try {
      offset = readSet(section, offset, base, into, listed);
    } catch (error) {
      if (error instanceof FormatError) break;
      throw error;
    }
  }
  return listed;
}

/** @returns offset behind the set */
function readSet(
  section: SectionWindow,
  offset: number,
  base: ImageBase,
  into: AddressRanges,
  listed: Set<number>,
): number {
  const header = section.cursorAt(offset, MAX_HEADER_BYTES);
  const { end, offsetBytes } = readPartLength(header, section.size);
  const version = header.u16();
  const unitOffset = header.offset(offsetBytes);
  const addressBytes = header.u8();
  const segmentBytes = header.u8();
  header.check();
  if (version !== 2 || segmentBytes !== 0 || (addressBytes !== 4 && addressBytes !== 8)) return end;
  const tupleBytes = 2 * addressBytes;
  const headerBytes = header.start + header.position - offset;
  const first = offset + Math.ceil(headerBytes / tupleBytes) * tupleBytes;
  const tupleCount = Math.floor((end - first) / tupleBytes);
  const dead = new DeadAddresses(base, addressBytes);
  const cursor = section.cursorAt(Math.min(first, section.size), tupleCount * tupleBytes);
  // Zeros end the set, but some linkers leave zeros of discarded code before its end.
  for (let tuple = 0; tuple < tupleCount; tuple++) {
    const low = cursor.address(addressBytes, base);
    const length = cursor.unsigned(addressBytes);
    if (dead.has(low)) continue;
    into.add(low, low + length, unitOffset);
    listed.add(unitOffset);
  }
  cursor.check();
  return end;
}
