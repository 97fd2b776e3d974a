/**
 * .eh_frame_hdr: where .eh_frame is, for a file whose section table is gone. Its table of FDEs is not used: reading the entries
 * themselves takes milliseconds, and is right where the table is not.
 * Source: Linux Standard Base Core 5.0, "The .eh_frame_hdr section".
 */
import { CfiCursor } from './cursor.js';
import { readPointer } from './pointer.js';

/**
 * @param objectAddress of the header
 * @returns object address of .eh_frame; undefined where the header does not say
 * @throws FormatError E_CFI_VERSION, E_CFI_POINTER, E_TRUNCATED
 */
export function readEhFrameAddress(bytes: Uint8Array, objectAddress: number, imageBase: bigint): number | undefined {
  const name = '.eh_frame_hdr';
  const cursor = new CfiCursor(bytes, name);
  const version = cursor.u8();
  if (version !== 1) cursor.fail('E_CFI_VERSION', 'version not supported (1)', version);
  const encoding = cursor.u8();
  cursor.skip(2); // encodings of the count and of the table
  return readPointer(
    cursor,
    { name, isEhFrame: true, bytes, objectAddress, imageBase, dataBase: objectAddress },
    encoding,
  );
}
