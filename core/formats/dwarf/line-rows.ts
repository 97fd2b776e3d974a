/** Running line programs: which line each piece of code is from. Source: DWARF 5, 6.2.2, 6.2.3 and 6.2.5. */
import { DeadAddresses } from './address-ranges.js';
import { LineExtendedOpcode, LineOpcode } from './constants.js';
import type { DwarfCursor, ImageBase } from './cursor.js';
import { type FileEntry, type LineHeader, readOldFile } from './line-header.js';

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
  /** Entries of the program itself, behind those of the header. */
  readonly moreFiles: readonly FileEntry[];
}

/** Columns that grow, used for one program after the other. */
class RowBuffer {
  offsets = new Uint32Array(1 << 12);
  files = new Uint32Array(1 << 12);
  lines = new Uint32Array(1 << 12);
  columns = new Uint16Array(1 << 12);

  grow(): void {
    const size = this.offsets.length * 2;
    const larger = (column: Uint32Array) => {
      const grown = new Uint32Array(size);
      grown.set(column);
      return grown;
    };
    this.offsets = larger(this.offsets);
    this.files = larger(this.files);
    this.lines = larger(this.lines);
    const columns = new Uint16Array(size);
    columns.set(this.columns);
    this.columns = columns;
  }
}

/**
 * Sequences of discarded code are left out. An address that goes down within a sequence ends it.
 * @param cursor on the bytes that the header was read from
 * @throws FormatError E_TRUNCATED
 */
export function runLineProgram(cursor: DwarfCursor, header: LineHeader, base: ImageBase): LineRows {
  const { bytes } = cursor;
  const { programStart, programEnd, opcodeBase, lineBase, lineRange, opcodeLengths, encoding } = header;
  const { minimumInstructionBytes, maximumOperations } = header;
  const dead = new DeadAddresses(base, encoding.addressBytes);
  const buffer = new RowBuffer();
  let { offsets, files, lines, columns } = buffer;
  const rows: number[] = [];
  const starts: number[] = [];
  const ends: number[] = [];
  const moreFiles: FileEntry[] = [];
  const constAdvance = Math.floor((255 - opcodeBase) / lineRange);

  let length = 0;
  /** First row of the sequence that is open; −1 when none is. */
  let first = -1;
  let start = 0;
  let address = 0;
  let operation = 0;
  let isLive = true;
  let file = 1;
  let line = 1;
  let column = 0;

  const close = (end: number) => {
    if (first >= 0 && end > start && end - start <= 0xffffffff) {
      rows.push(first);
      starts.push(start);
      ends.push(end);
    } else if (first >= 0) length = first;
    first = -1;
  };
  const append = () => {
    if (!isLive) return;
    if (first < 0 || address < start + offsets[length - 1]! || address - start > 0xffffffff) {
      if (first >= 0) close(start + offsets[length - 1]!);
      first = length;
      start = address;
    } else {
      const last = length - 1;
      if (address - start === offsets[last]) length = last;
      else if (files[last] === file && lines[last] === line && columns[last] === column) return;
    }
    if (length === offsets.length) {
      buffer.grow();
      ({ offsets, files, lines, columns } = buffer);
    }
    offsets[length] = address - start;
    files[length] = file;
    lines[length] = line;
    columns[length++] = column;
  };
  const advance = (operations: number) => {
    if (maximumOperations <= 1) {
      address += minimumInstructionBytes * operations;
      return;
    }
    const total = operation + operations;
    address += minimumInstructionBytes * Math.floor(total / maximumOperations);
    operation = total % maximumOperations;
  };

  cursor.position = programStart;
  while (cursor.position < programEnd) {
    const opcode = bytes[cursor.position++]!;
    if (opcode >= opcodeBase) {
      const adjusted = opcode - opcodeBase;
      const operations = (adjusted / lineRange) | 0;
      advance(operations);
      line += lineBase + (adjusted - operations * lineRange);
      append();
      continue;
    }
    switch (opcode) {
      case 0: {
        const size = cursor.uleb();
        const next = cursor.position + size;
        if (size === 0) break;
        const extended = cursor.u8();
        if (extended === LineExtendedOpcode.endSequence) {
          close(isLive ? address : start + offsets[length - 1]!);
          address = operation = column = 0;
          file = line = 1;
          isLive = true;
        } else if (extended === LineExtendedOpcode.setAddress) {
          address = cursor.address(size - 1, base);
          operation = 0;
          isLive = !dead.has(address) && (size === 9 || size === 5);
        } else if (extended === LineExtendedOpcode.defineFile) {
          moreFiles.push(readOldFile(cursor));
        }
        cursor.position = next;
        break;
      }
      case LineOpcode.copy:
        append();
        break;
      case LineOpcode.advancePc:
        advance(cursor.uleb());
        break;
      case LineOpcode.advanceLine:
        line = (line + cursor.sleb()) >>> 0;
        break;
      case LineOpcode.setFile:
        file = cursor.uleb();
        break;
      case LineOpcode.setColumn:
        column = Math.min(cursor.uleb(), 0xffff);
        break;
      case LineOpcode.negateStatement:
      case LineOpcode.setBasicBlock:
        break;
      case LineOpcode.constAddPc:
        advance(constAdvance);
        break;
      case LineOpcode.fixedAdvancePc:
        address += cursor.u16();
        operation = 0;
        break;
      default:
        for (let left = opcodeLengths[opcode]!; left > 0; left--) cursor.skipLeb();
    }
  }
  cursor.check();
  rows.push(first >= 0 ? first : length);
  return {
    sequenceRows: Uint32Array.from(rows),
    sequenceStarts: Float64Array.from(starts),
    sequenceEnds: Float64Array.from(ends),
    offsets: offsets.slice(0, length),
    files: files.slice(0, length),
    lines: lines.slice(0, length),
    columns: columns.slice(0, length),
    moreFiles,
  };
}
