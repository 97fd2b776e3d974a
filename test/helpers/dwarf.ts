/** Assembles DWARF sections: units of DIEs with their abbreviations, and line programs. Little-endian, 32-bit format. */
import { Form } from '../../core/formats/dwarf/constants.js';
import type { DebugSections } from '../../core/formats/dwarf/sections.js';
import { ByteWriter } from './bytes.js';
import { memorySource } from './elf.js';

export interface DieSpec {
  readonly tag: number;
  readonly attributes: readonly AttributeSpec[];
  readonly children?: readonly DieSpec[];
}

/** A number, an inline text, the bytes of a block, or the DIE of the same unit that is referred to. */
export type AttributeValue = number | bigint | string | Uint8Array | DieSpec;
export type AttributeSpec = readonly [attribute: number, form: number, value: AttributeValue];

export interface UnitSpec {
  /** Default 5. */
  readonly version?: number;
  /** UnitType; only from version 5 on. */
  readonly type?: number;
  readonly addressBytes?: 4 | 8;
  readonly dwoId?: bigint;
  /** Of the first abbreviation; default 1. */
  readonly firstCode?: number;
  readonly root: DieSpec;
}

export interface UnitLayout {
  readonly start: number;
  /** Offsets of DIEs into `.debug_info`. */
  readonly dies: ReadonlyMap<DieSpec, number>;
}

/** `.debug_info` and `.debug_abbrev` of units in a row; each has a table of its own. */
export function buildUnits(...units: UnitSpec[]): { info: Uint8Array; abbrev: Uint8Array; layouts: UnitLayout[] } {
  const info = new ByteWriter();
  const abbrev = new ByteWriter();
  const layouts = units.map((unit) => writeUnit(unit, info, abbrev));
  return { info: info.finish(), abbrev: abbrev.finish(), layouts };
}

function writeUnit(unit: UnitSpec, info: ByteWriter, abbrev: ByteWriter): UnitLayout {
  const { version = 5, type = 1, addressBytes = 8, dwoId, firstCode = 1 } = unit;
  const start = info.length;
  const dies = new Map<DieSpec, number>();
  // References forward need positions that the first pass finds out.
  for (const isFinal of [false, true]) {
    const body = new ByteWriter();
    const codes = new Map<string, number>();
    const table = new ByteWriter();
    const header = new ByteWriter().u16(version);
    if (version === 5) {
      header.u8(type, addressBytes).u32(abbrev.length);
      if (dwoId !== undefined) header.u64(dwoId);
    } else {
      header.u32(abbrev.length).u8(addressBytes);
    }
    writeDie(unit.root, {
      body,
      table,
      codes,
      dies,
      start,
      dieStart: start + 4 + header.length,
      addressBytes,
      version,
      firstCode,
    });
    if (!isFinal) continue;
    info
      .u32(header.length + body.length)
      .append(header.finish())
      .append(body.finish());
    abbrev.append(table.u8(0).finish());
  }
  return { start, dies };
}

interface Writing {
  readonly body: ByteWriter;
  readonly table: ByteWriter;
  readonly codes: Map<string, number>;
  readonly dies: Map<DieSpec, number>;
  readonly start: number;
  readonly dieStart: number;
  readonly addressBytes: number;
  readonly version: number;
  readonly firstCode: number;
}

function writeDie(die: DieSpec, to: Writing): void {
  const { body } = to;
  to.dies.set(die, to.dieStart + body.length);
  const hasChildren = die.children !== undefined;
  const shape = new ByteWriter().varint(die.tag).u8(hasChildren ? 1 : 0);
  for (const [attribute, form, value] of die.attributes) {
    shape.varint(attribute).varint(form);
    if (form === Form.implicitConst) shape.varint(Number(value));
  }
  shape.u8(0, 0);
  const key = shape.finish().join();
  let code = to.codes.get(key);
  if (code === undefined) {
    code = to.firstCode + to.codes.size;
    to.codes.set(key, code);
    to.table.varint(code).append(shape.finish());
  }
  body.varint(code);
  for (const [, form, value] of die.attributes) writeValue(form, value, to);
  for (const child of die.children ?? []) writeDie(child, to);
  if (hasChildren) body.u8(0);
}

function writeValue(form: number, value: AttributeValue, to: Writing): void {
  const { body } = to;
  if (typeof value === 'string') return void body.cstring(value);
  if (value instanceof Uint8Array) {
    if (form === Form.block1) body.u8(value.length);
    else if (form === Form.block2) body.u16(value.length);
    else if (form === Form.block4) body.u32(value.length);
    else if (form !== Form.data16) body.varint(value.length);
    return void body.append(value);
  }
  const number =
    typeof value === 'object' ? (to.dies.get(value) ?? 0) - (form === Form.refAddress ? 0 : to.start) : value;
  const size = sizeOf(form, to);
  if (size === undefined) body.varint(Number(number));
  else if (size === 8) body.u64(number);
  else for (let index = 0; index < size; index++) body.u8(Number(BigInt(number) >> BigInt(8 * index)) & 0xff);
}

function sizeOf(form: number, { addressBytes }: Writing): number | undefined {
  switch (form) {
    case Form.address:
      return addressBytes;
    case Form.flagPresent:
    case Form.implicitConst:
      return 0;
    case Form.data1:
    case Form.flag:
    case Form.ref1:
    case Form.strx1:
    case Form.addrx1:
      return 1;
    case Form.data2:
    case Form.ref2:
    case Form.strx2:
    case Form.addrx2:
      return 2;
    case Form.strx3:
    case Form.addrx3:
      return 3;
    case Form.data8:
    case Form.ref8:
    case Form.refSup8:
    case Form.refSignature8:
      return 8;
    case Form.udata:
    case Form.sdata:
    case Form.refUdata:
    case Form.strx:
    case Form.addrx:
    case Form.rnglistx:
    case Form.loclistx:
    case Form.gnuAddressIndex:
    case Form.gnuStringIndex:
    case Form.indirect:
      return undefined;
    default:
      return 4;
  }
}

export interface LineProgramSpec {
  /** Default 5. */
  readonly version?: number;
  readonly folders?: readonly string[];
  /** From version 5 on number 0 is the first, before number 1. */
  readonly files?: readonly (readonly [name: string, folder: number])[];
  readonly opcodes: Uint8Array;
  readonly lineBase?: number;
  readonly lineRange?: number;
  readonly minimumInstructionBytes?: number;
}

const STANDARD_LENGTHS = [0, 1, 1, 1, 1, 0, 0, 0, 1, 0, 0, 1];

/** One part of `.debug_line`, with inline texts. */
export function buildLineProgram(spec: LineProgramSpec): Uint8Array {
  const { version = 5, folders = ['/src'], files = [['a.c', 0]], lineBase = -5, lineRange = 14 } = spec;
  const tables = new ByteWriter();
  tables.u8(spec.minimumInstructionBytes ?? 1);
  if (version >= 4) tables.u8(1);
  tables.u8(1, lineBase, lineRange, STANDARD_LENGTHS.length + 1, ...STANDARD_LENGTHS);
  if (version === 5) {
    tables.u8(1).varint(1).varint(Form.string).varint(folders.length);
    for (const folder of folders) tables.cstring(folder);
    // With an MD5 sum behind, as clang writes it.
    tables.u8(3).varint(1).varint(Form.string).varint(2).varint(Form.udata).varint(5).varint(Form.data16);
    tables.varint(files.length);
    for (const [name, folder] of files) tables.cstring(name).varint(folder).append(new Uint8Array(16));
  } else {
    for (const folder of folders) tables.cstring(folder);
    tables.u8(0);
    for (const [name, folder] of files) tables.cstring(name).varint(folder).u8(0, 0);
    tables.u8(0);
  }
  const part = new ByteWriter().u16(version);
  if (version === 5) part.u8(8, 0);
  part.u32(tables.length).append(tables.finish()).append(spec.opcodes);
  return new ByteWriter().u32(part.length).append(part.finish()).finish();
}

/** Opcodes of line programs, by the standard's names. */
export const lineOps = {
  setAddress: (address: number | bigint) => new ByteWriter().u8(0, 9, 2).u64(address).finish(),
  endSequence: Uint8Array.of(0, 1, 1),
  copy: Uint8Array.of(1),
  advancePc: (delta: number) => new ByteWriter().u8(2).varint(delta).finish(),
  /** Up to 63 lines on or back. */
  advanceLine: (delta: number) => Uint8Array.of(3, delta & 0x7f),
  setFile: (file: number) => new ByteWriter().u8(4).varint(file).finish(),
  setColumn: (column: number) => new ByteWriter().u8(5).varint(column).finish(),
};

/** A sequence with one row for each piece of code: its bytes, file, line and column. */
export function lineSequence(
  start: number | bigint,
  rows: readonly (readonly [bytes: number, file: number, line: number, column?: number])[],
): Uint8Array {
  const program = new ByteWriter().append(lineOps.setAddress(start));
  let line = 1;
  for (const [bytes, file, nextLine, column = 0] of rows) {
    program.append(lineOps.setFile(file)).append(lineOps.setColumn(column));
    for (; line !== nextLine; line += Math.sign(nextLine - line))
      program.append(lineOps.advanceLine(Math.sign(nextLine - line)));
    program.append(lineOps.copy).append(lineOps.advancePc(bytes));
  }
  return program.append(lineOps.endSequence).finish();
}

/** Debug sections that are in memory. */
export function debugSections(
  sections: { readonly [name: string]: Uint8Array },
  more: Partial<Omit<DebugSections, 'section'>> = {},
): DebugSections {
  return {
    addressBytes: 8,
    isLittleEndian: true,
    imageBase: 0n,
    ...more,
    section: (name) => (sections[name] === undefined ? undefined : memorySource(sections[name])),
  };
}
