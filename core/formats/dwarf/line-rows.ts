/** What line programs give, which kernels/dwarf/lines.ts runs: rows of which line each piece of code is from. */

import { DeadAddresses } from './address-ranges.js';
import type { DwarfCursor, ImageBase } from './cursor.js';
import type { Address, DwarfKernel } from './kernel.js';
import type { LineHeader } from './line-header.js';

/** Rows of one program, in its order; neighbours that differ in nothing that is kept are one row. */
export interface LineRows {
  /** First row of each sequence; one more at the end. */
  readonly sequenceRows: Uint32Array;
  /** Object address of the first row of a sequence, and behind its last. */
  readonly sequenceStarts: Float64Array;
  readonly sequenceEnds: Float64Array;
  /** Bytes from the beginning of the sequence, not decreasing. */
  readonly offsets: Uint32Array;
  readonly files: Uint32Array;
  readonly lines: Uint32Array;
  /** At most 65,535. */
  readonly columns: Uint16Array;
  /** Where the entries of files are that the program itself adds to those of the header: into the bytes of the cursor. */
  readonly moreFiles: Uint32Array;
}

/**
 * @param cursor on the bytes that the header was read from @param part where the kernel has them
 * @throws FormatError E_TRUNCATED, E_LIMIT
 */
export function runLineProgram(
  dwarfKernel: DwarfKernel,
  part: Address,
  cursor: DwarfCursor,
  header: LineHeader,
  base: ImageBase,
): LineRows {
  const kernel = dwarfKernel.exports;
  dwarfKernel.useAddresses(base, new DeadAddresses(base, header.encoding.addressBytes));
  cursor.position = kernel.runLineProgram(
    part,
    part + header.programStart,
    part + header.programEnd,
    part + header.opcodeLengths,
    header.opcodeBase,
    header.lineBase,
    header.lineRange,
    header.minimumInstructionBytes,
    header.maximumOperations,
  );
  cursor.check();
  const { buffer } = kernel.memory;
  const rows = kernel.rowCount.value;
  const words = (column: { readonly value: number }, count = rows) =>
    new Uint32Array(buffer, column.value >>> 0, count).slice();
  const sequences = kernel.sequenceCount.value;
  const sequenceRows = new Uint32Array(sequences + 1);
  sequenceRows.set(new Uint32Array(buffer, kernel.sequenceRows.value >>> 0, sequences));
  sequenceRows[sequences] = rows;
  return {
    sequenceRows,
    sequenceStarts: new Float64Array(buffer, kernel.sequenceStarts.value >>> 0, sequences).slice(),
    sequenceEnds: new Float64Array(buffer, kernel.sequenceEnds.value >>> 0, sequences).slice(),
    offsets: words(kernel.offsets),
    files: words(kernel.files),
    lines: words(kernel.lines),
    columns: new Uint16Array(buffer, kernel.columns.value >>> 0, rows).slice(),
    moreFiles: words(kernel.fileEntries, kernel.fileCount.value),
  };
}
