/** The rows of an ELF symbol table. Source: System V ABI, "Symbol Table". */
import { LOCAL, UNTYPED } from '../../core/formats/symbols/kernel-codes';
import { allocate } from '../memory';
import { addSymbol, count, placeColumns } from './columns';

// Types: low four bits of st_info.
const NONE: u32 = 0;
const FUNCTION: u32 = 2;
const FILE: u32 = 4;
const INDIRECT_FUNCTION: u32 = 10;

/** Executable part of the image that a section is; the end is NaN for a section that is none. */
class CodeSection {
  start!: f64;
  end!: f64;
}

/** u32 each: where in the columns the symbols without a type are. */
export let untyped: usize = 0;
export let untypedCount: u32 = 0;
/** u32 each: rows that name source files. */
export let fileRows: usize = 0;
export let fileCount: u32 = 0;

/**
 * Puts the symbols of code into the columns.
 * @param table its first row @param hasThumb whether the lowest bit of a function's value only says that it is Thumb code
 * @param baseHigh @param baseLow words of what object addresses count from
 * @param sections one CodeSection for each section of the file
 */
export function readElf(
  table: usize,
  rowCount: u32,
  is64: bool,
  hasThumb: bool,
  baseHigh: u32,
  baseLow: u32,
  sections: usize,
  sectionCount: u32,
): void {
  placeColumns(rowCount);
  untyped = allocate(rowCount * sizeof<u32>());
  fileRows = allocate(rowCount * sizeof<u32>());
  untypedCount = fileCount = 0;
  const rowBytes: u32 = is64 ? 24 : 16;
  for (let row: u32 = 1; row < rowCount; row++) {
    const at = table + row * rowBytes;
    const info = u32(is64 ? load<u8>(at, 4) : load<u8>(at, 12));
    const type = info & 15;
    if (type === FILE) store<u32>(fileRows + fileCount++ * sizeof<u32>(), row);
    if (type !== FUNCTION && type !== INDIRECT_FUNCTION && type !== NONE) continue;
    const sectionNumber = u32(is64 ? load<u16>(at, 6) : load<u16>(at, 14));
    if (sectionNumber >= sectionCount) continue;
    const section = changetype<CodeSection>(sections + sectionNumber * u32(offsetof<CodeSection>()));
    const low = is64 ? load<u32>(at, 8) : load<u32>(at, 4);
    const high: u32 = is64 ? load<u32>(at, 12) : 0;
    const size = is64 ? f64(load<u32>(at, 20)) * 4294967296.0 + f64(load<u32>(at, 16)) : f64(load<u32>(at, 8));
    let start = (f64(high) - f64(baseHigh)) * 4294967296.0 + (f64(low) - f64(baseLow));
    if (hasThumb && type !== NONE && start >= 0 && (i64(start) & 1) !== 0) start -= 1;
    if (!(start >= section.start)) continue;
    const rank = (info >> 4 === 0 ? LOCAL : 0) + (type === NONE ? UNTYPED : 0);
    if (!addSymbol(row, start, size, rank, section.end)) continue;
    if (type === NONE) store<u32>(untyped + untypedCount++ * sizeof<u32>(), count - 1);
  }
}
