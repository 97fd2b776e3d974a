/** Headers of line programs: how opcodes count, and where folders and files are listed. Source: DWARF 5, 6.2.4; DWARF 2 to 4, 6.2.4. */
import { FormatError } from '../errors.js';
import type { DwarfCursor } from './cursor.js';
import type { Encoding } from './form.js';
import { readPartLength } from './unit-header.js';

export interface LineHeader {
  readonly encoding: Encoding;
  readonly minimumInstructionBytes: number;
  readonly maximumOperations: number;
  readonly lineBase: number;
  readonly lineRange: number;
  readonly opcodeBase: number;
  /** Where the numbers of LEB128 arguments of the opcodes below `opcodeBase` are, from 1 on, into the bytes of the cursor. */
  readonly opcodeLengths: number;
  /** Where the lists of folders and files begin, into the bytes of the cursor; they end where the program begins. */
  readonly filesStart: number;
  /** First opcode, and behind the last, into the bytes of the cursor. */
  readonly programStart: number;
  readonly programEnd: number;
}

/** What a header begins with. */
interface Beginning {
  readonly version: number;
  readonly offsetBytes: 4 | 8;
  /** As of LineHeader. */
  readonly programStart: number;
  readonly programEnd: number;
}

/**
 * Whether a program has opcodes: those of units without code have none.
 * @param cursor at the beginning of the part @param limit end of the section @throws FormatError E_DWARF_LENGTH, E_DWARF_LINE, E_TRUNCATED
 */
export function hasLineProgram(cursor: DwarfCursor, limit: number): boolean {
  const { programStart, programEnd } = readBeginning(cursor, limit);
  return programStart < programEnd;
}

/**
 * @param cursor at the beginning of the part, on bytes that hold all of it
 * @param addressBytes of the unit; version 5 says it itself
 * @throws FormatError E_DWARF_LENGTH, E_DWARF_LINE, E_TRUNCATED
 */
export function readLineHeader(cursor: DwarfCursor, addressBytes: 4 | 8): LineHeader {
  const start = cursor.start + cursor.position;
  const { version, offsetBytes, programStart, programEnd } = readBeginning(cursor, cursor.start + cursor.bytes.length);
  const minimumInstructionBytes = cursor.u8();
  const maximumOperations = version >= 4 ? cursor.u8() : 1;
  cursor.position += 1; // default_is_stmt
  const lineBase = (cursor.u8() << 24) >> 24;
  const lineRange = cursor.u8();
  const opcodeBase = cursor.u8();
  if (lineRange === 0) throw spoilt('line range of 0', cursor, start, 0, 1);
  if (opcodeBase === 0) throw spoilt('opcode base of 0', cursor, start, 0, 1);
  const opcodeLengths = cursor.position;
  return {
    encoding: { version, offsetBytes, addressBytes },
    minimumInstructionBytes,
    maximumOperations,
    lineBase,
    lineRange,
    opcodeBase,
    opcodeLengths,
    filesStart: opcodeLengths + opcodeBase - 1,
    programStart,
    programEnd,
  };
}

function readBeginning(cursor: DwarfCursor, limit: number): Beginning {
  const start = cursor.start + cursor.position;
  const { end, offsetBytes } = readPartLength(cursor, limit);
  const programEnd = end - cursor.start;
  const version = cursor.u16();
  if (version < 2 || version > 5) throw spoilt('line program version not supported', cursor, start, version, '2..5');
  // Address size and segment selector size.
  if (version === 5) cursor.position += 2;
  const headerBytes = cursor.offset(offsetBytes);
  const programStart = cursor.position + headerBytes;
  if (!(programStart <= programEnd)) {
    throw spoilt('line program header ends behind its part', cursor, start, programStart, programEnd);
  }
  return { version, offsetBytes, programStart, programEnd };
}

/** @param start of the header, into the section */
function spoilt(message: string, { section }: DwarfCursor, start: number, got: number, limit: number | string) {
  return new FormatError('E_DWARF_LINE', message, { section, offset: start, got, limit });
}
