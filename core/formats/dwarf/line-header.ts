/** Headers of line programs: folders, files, and how opcodes count. Source: DWARF 5, 6.2.4; DWARF 2 to 4, 6.2.4. */
import { FormatError } from '../errors.js';
import { Form, LineContent } from './constants.js';
import type { DwarfCursor } from './cursor.js';
import { type Encoding, knownLayout, Layout, skipVariable } from './form.js';
import { readPartLength } from './unit-header.js';

/** Where a path is written. */
export interface PathPlace {
  readonly form: number;
  /** Of an inline text, its offset into the line program's part; else an offset or index, by the form. */
  readonly value: number;
}

export interface FileEntry extends PathPlace {
  /** Index into the folders. */
  readonly folder: number;
}

export interface LineHeader {
  readonly encoding: Encoding;
  readonly minimumInstructionBytes: number;
  readonly maximumOperations: number;
  readonly lineBase: number;
  readonly lineRange: number;
  readonly opcodeBase: number;
  /** Where the numbers of LEB128 arguments of the opcodes below `opcodeBase` are, from 1 on, into the bytes of the cursor. */
  readonly opcodeLengths: number;
  /** From version 5 on the first is the compilation's folder; before, the first is number 1. */
  readonly folders: readonly PathPlace[];
  /** From version 5 on counted from 0, before from 1. */
  readonly files: readonly FileEntry[];
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
 * @throws FormatError E_DWARF_LENGTH, E_DWARF_LINE, E_DWARF_FORM, E_TRUNCATED
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
  cursor.position += opcodeBase - 1;
  const encoding: Encoding = { version, offsetBytes, addressBytes };
  const { folders, files } =
    version === 5 ? readEntries(cursor, encoding, programStart) : readOldEntries(cursor, programStart);
  return {
    encoding,
    minimumInstructionBytes,
    maximumOperations,
    lineBase,
    lineRange,
    opcodeBase,
    opcodeLengths,
    folders,
    files,
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

type Entries = Pick<LineHeader, 'folders' | 'files'>;

function readEntries(cursor: DwarfCursor, encoding: Encoding, limit: number): Entries {
  const folders = readEntryList(cursor, encoding, limit);
  return { folders, files: readEntryList(cursor, encoding, limit) };
}

function readEntryList(cursor: DwarfCursor, encoding: Encoding, limit: number): FileEntry[] {
  const fields: { content: number; form: number; layout: number }[] = [];
  for (let left = cursor.u8(); left > 0; left--) {
    const content = cursor.uleb();
    const form = cursor.uleb();
    fields.push({ content, form, layout: knownLayout(form, encoding, cursor) });
  }
  const count = cursor.uleb();
  const entries: FileEntry[] = [];
  while (entries.length < count) {
    const before = cursor.position;
    let pathForm = 0;
    let path = 0;
    let folder = 0;
    for (const { content, form, layout } of fields) {
      const isNumber = layout === Layout.leb || (layout > 0 && layout <= 8);
      let value = cursor.position;
      if (isNumber) value = layout === Layout.leb ? cursor.uleb() : cursor.unsigned(layout);
      else if (layout >= 0) cursor.position += layout;
      else skipVariable(cursor, layout, encoding);
      if (content === LineContent.directoryIndex && isNumber) folder = value;
      else if (content === LineContent.path && (isNumber || form === Form.string)) {
        pathForm = form;
        path = value;
      }
    }
    // Entries without bytes could be counted for ever.
    if (cursor.position === before) cursor.position = Number.POSITIVE_INFINITY;
    checkWithin(cursor, limit);
    entries.push({ form: pathForm, value: path, folder });
  }
  return entries;
}

function readOldEntries(cursor: DwarfCursor, limit: number): Entries {
  const folders: PathPlace[] = [];
  while (isText(cursor, limit)) {
    folders.push({ form: Form.string, value: cursor.position });
    cursor.skipText();
  }
  cursor.position++;
  const files: FileEntry[] = [];
  while (isText(cursor, limit)) files.push(readOldFile(cursor));
  return { folders, files };
}

/** One entry as in the header and behind DW_LNE_define_file. */
export function readOldFile(cursor: DwarfCursor): FileEntry {
  const value = cursor.position;
  cursor.skipText();
  const folder = cursor.uleb();
  cursor.skipLeb(); // time
  cursor.skipLeb(); // size
  return { form: Form.string, value, folder };
}

function isText(cursor: DwarfCursor, limit: number): boolean {
  checkWithin(cursor, limit);
  return cursor.position < limit && cursor.bytes[cursor.position] !== 0;
}

function checkWithin({ position, section, start }: DwarfCursor, limit: number): void {
  if (position <= limit) return;
  throw new FormatError('E_DWARF_LINE', 'list of files goes on behind the header', {
    section,
    offset: start + limit,
    limit: start + limit,
  });
}
