/** ELF string tables. Source: System V ABI, "String Table". */
import { FormatError } from '../errors.js';

const utf8 = new TextDecoder();

/**
 * String at an offset into a string table; "" when there is no table. One without a NUL ends with the table.
 * @throws FormatError E_ELF_STRING for an offset behind the table's end
 */
export function stringInTable(table: Uint8Array | undefined, offset: number, section: string): string {
  if (table === undefined) return '';
  if (offset > table.length) throw behindEnd(offset, table.length, section);
  const end = table.indexOf(0, offset);
  return utf8.decode(table.subarray(offset, end < 0 ? table.length : end));
}

export function behindEnd(offset: number, limit: number, section: string): FormatError {
  return new FormatError('E_ELF_STRING', 'string lies behind the end of its table', { section, offset, limit });
}
