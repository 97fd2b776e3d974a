/**
 * Encoded pointers (DW_EH_PE_*): how .eh_frame and .eh_frame_hdr write addresses.
 * Source: Linux Standard Base Core 5.0, "DWARF Exception Header Encoding"; GCC unwind-pe.h.
 */
import type { CfiCursor } from './cursor.js';
import type { CfiSection } from './section.js';

export const PointerEncoding = { absolute: 0x00, omit: 0xff } as const;

const FORMAT = 0x0f;
const APPLICATION = 0x70;
const INDIRECT = 0x80;

/**
 * @param functionStart what function-relative pointers count from
 * @returns the object address; undefined for one that is omitted, that is only in memory (indirect), or that counts from
 *   something that the file does not have
 * @throws FormatError E_CFI_POINTER for an encoding that does not exist, E_TRUNCATED
 */
export function readPointer(
  cursor: CfiCursor,
  section: CfiSection,
  encoding: number,
  functionStart?: number,
): number | undefined {
  if (encoding === PointerEncoding.omit) return undefined;
  const application = encoding & APPLICATION;
  if (application === 0x50) {
    // Aligned: an absolute word at the next multiple of its size.
    cursor.skip((8 - ((section.objectAddress + cursor.offset) % 8)) % 8);
    return readAbsolute(cursor, section.imageBase);
  }
  const at = section.objectAddress + cursor.offset;
  if (application === 0) {
    const value = readFormat(cursor, encoding, section.imageBase);
    return (encoding & INDIRECT) === 0 ? value : undefined;
  }
  const value = readFormat(cursor, encoding, 0n);
  if ((encoding & INDIRECT) !== 0) return undefined;
  const base = baseOf(application, section, at, functionStart, cursor);
  return base === undefined ? undefined : base + value;
}

/** A length in the format of an encoding: no base is added. @throws FormatError as `readPointer` */
export function readPointerLength(cursor: CfiCursor, encoding: number): number {
  return readFormat(cursor, encoding & FORMAT, 0n);
}

function baseOf(
  application: number,
  section: CfiSection,
  at: number,
  functionStart: number | undefined,
  cursor: CfiCursor,
): number | undefined {
  switch (application) {
    case 0x10:
      return at;
    case 0x20:
      return section.textBase;
    case 0x30:
      return section.dataBase;
    case 0x40:
      return functionStart;
    default:
      return cursor.fail('E_CFI_POINTER', 'unknown base of an encoded pointer', application);
  }
}

/** @param base taken off unsigned values: they are absolute addresses */
function readFormat(cursor: CfiCursor, encoding: number, base: bigint): number {
  switch (encoding & FORMAT) {
    case 0x00:
    case 0x04:
    case 0x0c:
      return readAbsolute(cursor, base);
    case 0x01:
      return cursor.uleb() - Number(base);
    case 0x02:
      return cursor.u16() - Number(base);
    case 0x03:
      return cursor.u32() - Number(base);
    case 0x09:
      return cursor.sleb() - Number(base);
    case 0x0a:
      return ((cursor.u16() << 16) >> 16) - Number(base);
    case 0x0b:
      return cursor.i32() - Number(base);
    default:
      return cursor.fail('E_CFI_POINTER', 'unknown format of an encoded pointer', encoding & FORMAT);
  }
}

/** A 64-bit word less a base. Exact where the difference is, also for kernels, which link above 2^53. */
export function readAbsolute(cursor: CfiCursor, base: bigint): number {
  const low = cursor.u32();
  const high = cursor.i32();
  const baseLow = Number(base & 0xffffffffn);
  const baseHigh = Number(BigInt.asIntN(32, base >> 32n));
  return (high - baseHigh) * 2 ** 32 + (low - baseLow);
}
