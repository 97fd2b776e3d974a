/** Running line programs: which line each piece of code is from. Source: DWARF 5, 6.2.2, 6.2.3 and 6.2.5. */
import { DeadAddresses } from './address-ranges.js';
import { LineExtendedOpcode } from './constants.js';
import type { DwarfCursor, ImageBase } from './cursor.js';
import { type FileEntry, type LineHeader, readOldFile } from './line-header.js';

/** What an offset into a sequence can be. */
const MAX_SEQUENCE_BYTES = 0xffffffff;

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

/** Columns that grow. */
class RowColumns {
  offsets = new Uint32Array(1 << 10);
  files = new Uint32Array(1 << 10);
  lines = new Uint32Array(1 << 10);
  columns = new Uint16Array(1 << 10);

  grow(): void {
    const size = this.offsets.length * 2;
    const { offsets, files, lines, columns } = this;
    this.offsets = new Uint32Array(size);
    this.offsets.set(offsets);
    this.files = new Uint32Array(size);
    this.files.set(files);
    this.lines = new Uint32Array(size);
    this.lines.set(lines);
    this.columns = new Uint16Array(size);
    this.columns.set(columns);
  }
}

/**
 * Sequences of discarded code are left out. An address that is set and goes down within a sequence ends it.
 *
 * One loop without calls, with literals as cases: most programs are over before the engine's optimizing compiler has seen enough.
 * @param cursor on the bytes that the header was read from
 * @throws FormatError E_TRUNCATED
 */
export function runLineProgram(cursor: DwarfCursor, header: LineHeader, base: ImageBase): LineRows {
  const { bytes } = cursor;
  const { programStart, programEnd, opcodeBase, lineBase, lineRange, opcodeLengths, encoding } = header;
  const { minimumInstructionBytes, maximumOperations } = header;
  const constOperations = ((255 - opcodeBase) / lineRange) | 0;
  const dead = new DeadAddresses(base, encoding.addressBytes);
  const moreFiles: FileEntry[] = [];
  const sequenceRows: number[] = [];
  const sequenceStarts: number[] = [];
  const sequenceEnds: number[] = [];
  const grown = new RowColumns();
  let { offsets, files, lines, columns } = grown;

  let length = 0;
  /** First row of the sequence that is open; −1 when none is. */
  let first = -1;
  let start = 0;
  /** Bytes from `start`, of the next row and of the last one. */
  let offset = 0;
  let lastOffset = 0;
  let operation = 0;
  let isLive = true;
  let file = 1;
  let line = 1;
  let column = 0;

  let position = programStart;
  while (position < programEnd) {
    const opcode = bytes[position++]!;
    let operations = 0;
    if (opcode >= opcodeBase) {
      const adjusted = opcode - opcodeBase;
      operations = (adjusted / lineRange) | 0;
      line += lineBase + (adjusted - operations * lineRange);
    } else {
      switch (opcode) {
        case 1: // DW_LNS_copy
        case 6: // DW_LNS_negate_stmt
        case 7: // DW_LNS_set_basic_block
          break;
        case 2: // DW_LNS_advance_pc
          operations = bytes[position++]!;
          if (operations < 0x80) break;
          cursor.position = position - 1;
          operations = cursor.uleb();
          position = cursor.position;
          break;
        case 3: // DW_LNS_advance_line
          cursor.position = position;
          line = (line + cursor.sleb()) | 0;
          position = cursor.position;
          break;
        case 4: // DW_LNS_set_file
          file = bytes[position++]!;
          if (file < 0x80) break;
          cursor.position = position - 1;
          file = cursor.uleb();
          position = cursor.position;
          break;
        case 5: // DW_LNS_set_column
          column = bytes[position++]!;
          if (column < 0x80) break;
          cursor.position = position - 1;
          column = Math.min(cursor.uleb(), 0xffff);
          position = cursor.position;
          break;
        case 8: // DW_LNS_const_add_pc
          operations = constOperations;
          break;
        case 9: // DW_LNS_fixed_advance_pc
          offset += bytes[position]! | (bytes[position + 1]! << 8);
          position += 2;
          operation = 0;
          break;
        case 0: {
          cursor.position = position;
          const size = cursor.uleb();
          position = cursor.position + size;
          if (size === 0) break;
          const extended = cursor.u8();
          if (extended === LineExtendedOpcode.endSequence || extended === LineExtendedOpcode.setAddress) {
            const isEnd = extended === LineExtendedOpcode.endSequence;
            const next = isEnd ? 0 : cursor.address(size - 1, base);
            // An address that is set within a sequence goes on with it, unless it goes down.
            if (first >= 0 && (isEnd || !(next - start >= lastOffset))) {
              const end = Math.max(lastOffset, isEnd && isLive ? offset : 0);
              if (end > 0 && end <= MAX_SEQUENCE_BYTES) {
                sequenceRows.push(first);
                sequenceStarts.push(start);
                sequenceEnds.push(start + end);
              } else length = first;
              first = -1;
            }
            operation = 0;
            if (isEnd) {
              column = 0;
              file = line = 1;
              isLive = true;
            } else {
              isLive = !dead.has(next) && (size === 9 || size === 5);
            }
            if (first < 0) start = next;
            offset = next - start;
          } else if (extended === LineExtendedOpcode.defineFile) {
            moreFiles.push(readOldFile(cursor));
          }
          break;
        }
        default:
          cursor.position = position;
          for (let left = opcodeLengths[opcode]!; left > 0; left--) cursor.skipLeb();
          position = cursor.position;
      }
    }
    if (operations !== 0) {
      if (maximumOperations <= 1) {
        offset += minimumInstructionBytes * operations;
      } else {
        const total = operation + operations;
        offset += minimumInstructionBytes * Math.floor(total / maximumOperations);
        operation = total % maximumOperations;
      }
    }
    if ((opcode < opcodeBase && opcode !== 1) || !isLive) continue;
    let row = length;
    if (first < 0) {
      first = length;
      start += offset;
      offset = 0;
    } else if (offset === lastOffset) {
      row--;
    } else if (lines[row - 1] === line && columns[row - 1] === column && files[row - 1] === file) {
      continue;
    }
    if (offset > MAX_SEQUENCE_BYTES) continue;
    if (row === offsets.length) {
      grown.grow();
      ({ offsets, files, lines, columns } = grown);
    }
    lastOffset = offset;
    offsets[row] = offset;
    files[row] = file;
    lines[row] = line;
    columns[row] = column;
    length = row + 1;
  }
  cursor.position = position;
  cursor.check();
  // What no end of sequence followed has no end.
  if (first >= 0) length = first;
  return {
    sequenceRows: Uint32Array.from([...sequenceRows, length]),
    sequenceStarts: Float64Array.from(sequenceStarts),
    sequenceEnds: Float64Array.from(sequenceEnds),
    offsets: offsets.slice(0, length),
    files: files.slice(0, length),
    lines: lines.slice(0, length),
    columns: columns.slice(0, length),
    moreFiles,
  };
}
