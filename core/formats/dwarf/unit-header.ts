/** Headers of units. Source: DWARF 5, 7.4 and 7.5.1; DWARF 2 to 4, 7.5.1. */
import { FormatError } from '../errors.js';
import type { ByteSource } from '../source.js';
import { UnitType } from './constants.js';
import { DwarfCursor } from './cursor.js';
import type { Encoding } from './form.js';

/** The longest header: of a version 5 type unit in the 64-bit format. */
const MAX_HEADER_BYTES = 40;

export interface UnitHeader extends Encoding {
  /** Into `.debug_info`. */
  readonly offset: number;
  /** Behind the unit. */
  readonly end: number;
  /** `UnitType`; `compile` before version 5. */
  readonly type: number;
  /** Into `.debug_abbrev`. */
  readonly abbreviations: number;
  /** Only in the header of version 5 skeletons and split units. */
  readonly dwoId: bigint | undefined;
  /** Bytes up to the first DIE. */
  readonly bytes: number;
}

/** The length field that most sections' parts begin with: `end` is behind the part. */
export interface PartLength {
  readonly end: number;
  readonly offsetBytes: 4 | 8;
}

/**
 * @param limit end of the section
 * @throws FormatError E_DWARF_LENGTH for a part that ends behind the section, or a reserved length
 */
export function readPartLength(cursor: DwarfCursor, limit: number): PartLength {
  const at = cursor.start + cursor.position;
  let length = cursor.u32();
  let offsetBytes: 4 | 8 = 4;
  if (length === 0xffffffff) {
    offsetBytes = 8;
    length = cursor.u64();
  }
  cursor.check();
  const end = cursor.start + cursor.position + length;
  if (end > limit || (offsetBytes === 4 && length >= 0xfffffff0)) {
    throw new FormatError('E_DWARF_LENGTH', 'part ends behind the end of its section', {
      section: cursor.section,
      offset: at,
      got: end,
      limit,
    });
  }
  return { end, offsetBytes };
}

/** End of the unit at an offset, whatever its version. @throws FormatError E_DWARF_LENGTH, E_TRUNCATED */
export function readUnitEnd(info: ByteSource, offset: number, section: string): number {
  return readPartLength(headerCursor(info, offset, section), info.size).end;
}

/**
 * @param section name of `info`, for errors
 * @throws FormatError E_DWARF_LENGTH, E_DWARF_VERSION, E_DWARF_ADDRESS_SIZE, E_TRUNCATED
 */
export function readUnitHeader(info: ByteSource, offset: number, section: string): UnitHeader {
  const cursor = headerCursor(info, offset, section);
  const { end, offsetBytes } = readPartLength(cursor, info.size);
  const version = cursor.u16();
  if (version < 2 || version > 5) {
    throw new FormatError('E_DWARF_VERSION', 'unit version not supported', {
      section,
      offset,
      got: version,
      limit: '2..5',
    });
  }
  let type: number = UnitType.compile;
  let addressBytes: number;
  let abbreviations: number;
  let dwoId: bigint | undefined;
  if (version === 5) {
    type = cursor.u8();
    addressBytes = cursor.u8();
    abbreviations = cursor.offset(offsetBytes);
    if (type === UnitType.skeleton || type === UnitType.splitCompile) dwoId = cursor.exact64();
    else if (type === UnitType.type || type === UnitType.splitType) cursor.position += 8 + offsetBytes;
  } else {
    abbreviations = cursor.offset(offsetBytes);
    addressBytes = cursor.u8();
  }
  if (addressBytes !== 4 && addressBytes !== 8) {
    throw new FormatError('E_DWARF_ADDRESS_SIZE', 'addresses of that size not supported', {
      section,
      offset,
      got: addressBytes,
      limit: '4 or 8',
    });
  }
  if (offset + cursor.position > end) {
    throw new FormatError('E_DWARF_LENGTH', 'unit ends within its header', { section, offset, got: end });
  }
  const bytes = cursor.position;
  return { offset, end, version, type, offsetBytes, addressBytes, abbreviations, dwoId, bytes };
}

function headerCursor(info: ByteSource, offset: number, section: string): DwarfCursor {
  const room = Math.max(0, Math.min(MAX_HEADER_BYTES, info.size - offset));
  return new DwarfCursor(info.read(offset, room, section), section, offset);
}
