/** Mach-O files of 64 bits for tests: what is given, nothing else. */
import { ByteWriter } from './bytes.js';

export interface MachSectionSpec {
  readonly name: string;
  readonly virtualAddress: bigint;
  readonly bytes: Uint8Array;
  readonly isCode?: boolean;
}

export interface MachSegmentSpec {
  readonly name: string;
  readonly virtualAddress: bigint;
  /** read 1, write 2, execute 4 */
  readonly protection?: number;
  readonly sections: readonly MachSectionSpec[];
}

export interface MachSymbolSpec {
  readonly name: string;
  readonly value: bigint;
  /** From 1. */
  readonly section: number;
  /** n_type; default: external, in a section. */
  readonly kind?: number;
}

export interface MachSpec {
  readonly cpu?: number;
  readonly fileType?: number;
  readonly flags?: number;
  readonly uuid?: string;
  readonly segments: readonly MachSegmentSpec[];
  readonly symbols?: readonly MachSymbolSpec[];
}

const SEGMENT_BYTES = 72;
const SECTION_BYTES = 80;

/** Sections of a segment lie one behind the other, from its address on. */
export function buildMachO({
  cpu = 0x0100_0007,
  fileType = 2,
  flags = 0,
  uuid,
  segments,
  symbols,
}: MachSpec): Uint8Array {
  const commandBytes =
    segments.reduce((bytes, { sections }) => bytes + SEGMENT_BYTES + SECTION_BYTES * sections.length, 0) +
    (uuid === undefined ? 0 : 24) +
    (symbols === undefined ? 0 : 24);
  const commands = new ByteWriter();
  const data = new ByteWriter();
  const dataStart = 32 + commandBytes;
  for (const { name, virtualAddress, protection = 1, sections } of segments) {
    const start = dataStart + data.length;
    const size = sections.reduce((bytes, section) => bytes + section.bytes.length, 0);
    commands
      .u32(0x19)
      .u32(SEGMENT_BYTES + SECTION_BYTES * sections.length)
      .append(fixed(name));
    commands.u64(virtualAddress).u64(BigInt(size)).u64(BigInt(start)).u64(BigInt(size));
    commands.u32(7).u32(protection).u32(sections.length).u32(0);
    for (const section of sections) {
      commands.append(fixed(section.name)).append(fixed(name));
      commands
        .u64(section.virtualAddress)
        .u64(BigInt(section.bytes.length))
        .u32(dataStart + data.length);
      commands
        .u32(0)
        .u32(0)
        .u32(0)
        .u32(section.isCode === true ? 0x8000_0000 : 0)
        .u32(0)
        .u32(0)
        .u32(0);
      data.append(section.bytes);
    }
  }
  if (uuid !== undefined) commands.u32(0x1b).u32(24).append(Buffer.from(uuid, 'hex'));
  if (symbols !== undefined) {
    const names = new ByteWriter().u8(0);
    const rows = new ByteWriter();
    for (const { name, value, section, kind = 0x0f } of symbols) {
      rows.u32(names.length).u8(kind).u8(section).u16(0).u64(value);
      names.cstring(name);
    }
    const rowsStart = dataStart + data.length;
    commands
      .u32(0x2)
      .u32(24)
      .u32(rowsStart)
      .u32(symbols.length)
      .u32(rowsStart + rows.length)
      .u32(names.length);
    data.append(rows.finish()).append(names.finish());
  }
  const count = segments.length + (uuid === undefined ? 0 : 1) + (symbols === undefined ? 0 : 1);
  const header = new ByteWriter()
    .u32(0xfeedfacf)
    .u32(cpu)
    .u32(0)
    .u32(fileType)
    .u32(count)
    .u32(commandBytes)
    .u32(flags)
    .u32(0);
  return header.append(commands.finish()).append(data.finish()).finish();
}

/** A universal file: slices one behind the other. */
export function buildFat(slices: readonly { readonly cpu: number; readonly bytes: Uint8Array }[]): Uint8Array {
  const head = Buffer.alloc(8 + 20 * slices.length);
  head.writeUInt32BE(0xcafebabe, 0);
  head.writeUInt32BE(slices.length, 4);
  let at = head.length;
  slices.forEach(({ cpu, bytes }, row) => {
    const entry = 8 + 20 * row;
    head.writeUInt32BE(cpu, entry);
    head.writeUInt32BE(at, entry + 8);
    head.writeUInt32BE(bytes.length, entry + 12);
    at += bytes.length;
  });
  return Buffer.concat([head, ...slices.map(({ bytes }) => bytes)]);
}

function fixed(name: string): Uint8Array {
  const bytes = new Uint8Array(16);
  bytes.set(Buffer.from(name).subarray(0, 16));
  return bytes;
}
