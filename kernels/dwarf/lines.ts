/**
 * Running line programs: which line each piece of code is from. Rows of one program, in its order; neighbours that differ in nothing
 * that is kept are one row. Source: DWARF 5, 6.2.2, 6.2.3 and 6.2.5.
 */
import { isDead, readAddress } from './addresses';
import { Block, reserve } from './block';
import { next, readSigned, readUnsigned, skip } from './leb128';

/** What an offset into a sequence can be. */
const MAX_SEQUENCE_BYTES: f64 = 4294967295.0;
const MAX_COLUMN: u64 = 0xffff;
/** The shortest operation that ends a sequence, or adds a file. */
const LONG_OPERATION_BYTES = 3;

// Standard opcodes.
const COPY = 1;
const ADVANCE_PC = 2;
const ADVANCE_LINE = 3;
const SET_FILE = 4;
const SET_COLUMN = 5;
const NEGATE_STATEMENT = 6;
const SET_BASIC_BLOCK = 7;
const CONST_ADD_PC = 8;
const FIXED_ADVANCE_PC = 9;
const EXTENDED = 0;

// Extended opcodes.
const END_SEQUENCE = 1;
const SET_ADDRESS = 2;
const DEFINE_FILE = 3;

export let rowCount: u32 = 0;
/** By row: bytes from the beginning of the sequence, and what the row says. Columns have 16 bits, the others 32. */
export let offsets: usize = 0;
export let files: usize = 0;
export let lines: usize = 0;
export let columns: usize = 0;

export let sequenceCount: u32 = 0;
/** By sequence: its first row; object addresses of its beginning and behind its end. */
export let sequenceRows: usize = 0;
export let sequenceStarts: usize = 0;
export let sequenceEnds: usize = 0;

/** Entries that the program adds to the header's files: where they begin, in bytes from the input. */
export let fileCount: u32 = 0;
export let fileEntries: usize = 0;

const block = changetype<Block>(memory.data(offsetof<Block>(), 8));

/** Room for what any program of so many bytes can give. Pages that are not written take no memory. */
function placeRows(bytes: u32): void {
  const most = bytes / LONG_OPERATION_BYTES;
  reserve(block, 0, u64(most) * 24 + u64(bytes) * 14);
  sequenceStarts = block.address;
  sequenceEnds = sequenceStarts + most * sizeof<f64>();
  sequenceRows = sequenceEnds + most * sizeof<f64>();
  fileEntries = sequenceRows + most * sizeof<u32>();
  offsets = fileEntries + most * sizeof<u32>();
  files = offsets + bytes * sizeof<u32>();
  lines = files + bytes * sizeof<u32>();
  columns = lines + bytes * sizeof<u32>();
  rowCount = sequenceCount = fileCount = 0;
}

function addSequence(firstRow: u32, start: f64, end: f64): void {
  store<u32>(sequenceRows + sequenceCount * sizeof<u32>(), firstRow);
  store<f64>(sequenceStarts + sequenceCount * sizeof<f64>(), start);
  store<f64>(sequenceEnds + sequenceCount * sizeof<f64>(), end);
  sequenceCount++;
}

/**
 * Sequences of discarded code are left out, and rows that no end of a sequence follows. An address that is set and goes down within
 * a sequence ends it.
 * @param part what the program is in @param program its first opcode @param end behind its last
 * @param opcodeLengths numbers of arguments of the standard opcodes, from 1 on
 * @returns how many bytes from `part` on were read: more than there are for a program that is cut
 */
export function runLineProgram(
  part: usize,
  program: usize,
  end: usize,
  opcodeLengths: usize,
  opcodeBase: u32,
  lineBase: i32,
  lineRange: u32,
  minimumInstructionBytes: f64,
  maximumOperations: f64,
): f64 {
  placeRows(u32(end - program));
  const constOperations = f64(i32(255 - opcodeBase) / i32(lineRange));
  /** First row of the sequence that is open; −1 when none is. */
  let first: i32 = -1;
  let start: f64 = 0;
  /** Bytes from `start`, of the next row and of the last one. */
  let offset: f64 = 0;
  let lastOffset: f64 = 0;
  let operation: f64 = 0;
  let isLive = true;
  let file: u32 = 1;
  let line: u32 = 1;
  let column: u32 = 0;
  let row: u32 = 0;

  let at = program;
  while (at < end) {
    const opcode = u32(load<u8>(at++));
    let operations: f64 = 0;
    if (opcode >= opcodeBase) {
      const adjusted = opcode - opcodeBase;
      const advance = adjusted / lineRange;
      operations = f64(advance);
      line += lineBase + (adjusted - advance * lineRange);
    } else {
      switch (opcode) {
        case COPY:
        case NEGATE_STATEMENT:
        case SET_BASIC_BLOCK:
          break;
        case ADVANCE_PC:
          operations = f64(readUnsigned(at));
          at = next;
          break;
        case ADVANCE_LINE:
          line += u32(readSigned(at));
          at = next;
          break;
        case SET_FILE:
          file = u32(readUnsigned(at));
          at = next;
          break;
        case SET_COLUMN:
          column = u32(min<u64>(readUnsigned(at), MAX_COLUMN));
          at = next;
          break;
        case CONST_ADD_PC:
          operations = constOperations;
          break;
        case FIXED_ADVANCE_PC:
          offset += f64(load<u16>(at));
          at += 2;
          operation = 0;
          break;
        case EXTENDED: {
          const size = readUnsigned(at);
          at = next;
          if (size > u64(end) - u64(min(at, end))) return f64(at - part) + f64(size);
          if (size === 0) break;
          const extended = u32(load<u8>(at));
          if (extended === DEFINE_FILE) {
            store<u32>(fileEntries + fileCount++ * sizeof<u32>(), u32(at + 1 - part));
          } else if (extended === END_SEQUENCE || extended === SET_ADDRESS) {
            const isEnd = extended === END_SEQUENCE;
            const address = isEnd ? 0 : readAddress(at + 1, u32(size) - 1);
            // An address that is set within a sequence goes on with it, unless it goes down.
            if (first >= 0 && (isEnd || !(address - start >= lastOffset))) {
              const length = max(lastOffset, isEnd && isLive ? offset : 0);
              if (length > 0 && length <= MAX_SEQUENCE_BYTES) addSequence(first, start, start + length);
              else row = first;
              first = -1;
            }
            operation = 0;
            if (isEnd) {
              column = 0;
              file = line = 1;
              isLive = true;
            } else {
              isLive = !isDead(address) && (size === 9 || size === 5);
            }
            if (first < 0) start = address;
            offset = address - start;
          }
          at += usize(size);
          break;
        }
        default: {
          const length = opcodeLengths + opcode - 1;
          for (let left = length < end ? load<u8>(length) : 0; left > 0 && at <= end; left--) at = skip(at);
        }
      }
    }
    if (operations !== 0) {
      if (maximumOperations <= 1) {
        offset += minimumInstructionBytes * operations;
      } else {
        const total = operation + operations;
        const instructions = floor(total / maximumOperations);
        offset += minimumInstructionBytes * instructions;
        operation = total - instructions * maximumOperations;
      }
    }
    if ((opcode < opcodeBase && opcode !== COPY) || !isLive) continue;
    let into = row;
    if (first < 0) {
      first = row;
      start += offset;
      offset = 0;
    } else if (offset === lastOffset) {
      into--;
    } else if (isSame(row - 1, file, line, column)) {
      continue;
    }
    if (offset > MAX_SEQUENCE_BYTES) continue;
    lastOffset = offset;
    store<u32>(offsets + into * sizeof<u32>(), u32(offset));
    store<u32>(files + into * sizeof<u32>(), file);
    store<u32>(lines + into * sizeof<u32>(), line);
    store<u16>(columns + into * sizeof<u16>(), u16(column));
    row = into + 1;
  }
  rowCount = first >= 0 ? u32(first) : row;
  return f64(at - part);
}

function isSame(row: u32, file: u32, line: u32, column: u32): boolean {
  return (
    load<u32>(lines + row * sizeof<u32>()) === line &&
    u32(load<u16>(columns + row * sizeof<u16>())) === column &&
    load<u32>(files + row * sizeof<u32>()) === file
  );
}
