/** `.debug_aranges`: which unit an address belongs to, for the units that the compiler listed. Source: DWARF 5, 6.1.2. */
import { FormatError } from '../errors.js';
import { AddressRanges, DeadAddresses } from './address-ranges.js';
import type { ImageBase } from './cursor.js';
import { currentKernel } from './kernel.js';
import type { SectionWindow } from './section-window.js';
import { readPartLength } from './unit-header.js';

const MAX_HEADER_BYTES = 40;

export interface ListedUnits {
  /** Of all sets, owned by the offset of their unit. */
  readonly ranges: AddressRanges;
  /** Offsets of the units that were listed, up to the first set that is spoilt. */
  readonly units: ReadonlySet<number>;
}

/** One set. */
interface TupleSet {
  readonly unitOffset: number;
  readonly addressBytes: 4 | 8;
  /** The pairs of address and length. */
  readonly tuples: Uint8Array;
  /** Offset of these into the section. */
  readonly start: number;
}

export function readAddressRanges(section: SectionWindow, base: ImageBase): ListedUnits {
  const units = new Set<number>();
  const dead = { 4: new DeadAddresses(base, 4), 8: new DeadAddresses(base, 8) };
  const kernel = currentKernel();
  kernel.exports.placeRanges(0);
  for (const { unitOffset, addressBytes, tuples, start } of readSets(section)) {
    kernel.useAddresses(base, dead[addressBytes]);
    const input = kernel.load(tuples, { section: section.name, start, limit: start + tuples.length });
    const count = tuples.length / (2 * addressBytes);
    if (kernel.exports.addTuples(input, count, addressBytes, unitOffset) !== 0) units.add(unitOffset);
  }
  kernel.exports.sortRanges();
  return { ranges: AddressRanges.keptBy(kernel), units };
}

function* readSets(section: SectionWindow): Generator<TupleSet> {
  let offset = 0;
  while (offset < section.size) {
    try {
      const { end, set } = readSet(section, offset);
      if (set !== undefined) yield set;
      offset = end;
    } catch (error) {
      if (error instanceof FormatError) return;
      throw error;
    }
  }
}

/** @returns offset behind the set, and the set unless it is of a kind that is not known */
function readSet(section: SectionWindow, offset: number): { end: number; set?: TupleSet } {
  const header = section.cursorAt(offset, MAX_HEADER_BYTES);
  const { end, offsetBytes } = readPartLength(header, section.size);
  const version = header.u16();
  const unitOffset = header.offset(offsetBytes);
  const addressBytes = header.u8();
  const segmentBytes = header.u8();
  header.check();
  if (version !== 2 || segmentBytes !== 0 || (addressBytes !== 4 && addressBytes !== 8)) return { end };
  const tupleBytes = 2 * addressBytes;
  const headerBytes = header.start + header.position - offset;
  const start = offset + Math.ceil(headerBytes / tupleBytes) * tupleBytes;
  const bytes = Math.max(0, Math.floor((end - start) / tupleBytes) * tupleBytes);
  if (bytes === 0) return { end };
  // Zeros end the set, but some linkers leave zeros of discarded code before its end.
  const cursor = section.cursorAt(start, bytes);
  const tuples = cursor.bytes.subarray(cursor.position, cursor.position + bytes);
  return { end, set: { unitOffset, addressBytes, tuples, start } };
}
