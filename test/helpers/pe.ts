/** PE files of 64 bits for tests: what is given, nothing else. */
import { ByteWriter } from './bytes.js';

export interface PeSectionSpec {
  readonly name: string;
  readonly address: number;
  readonly bytes: Uint8Array;
  readonly flags?: number;
}

export interface CoffSymbolSpec {
  readonly name: string;
  readonly value: number;
  /** From 1. */
  readonly section: number;
  readonly type?: number;
  readonly storage?: number;
  /** A record of 18 bytes that follows, as the format wants it for sections and files. */
  readonly record?: Uint8Array;
}

export interface PeSpec {
  readonly machine?: number;
  readonly imageBase?: bigint;
  readonly isRelocatable?: boolean;
  readonly sections: readonly PeSectionSpec[];
  readonly symbols?: readonly CoffSymbolSpec[];
  readonly exports?: { readonly address: number; readonly size: number };
}

export const peCode = 0x6000_0020;
const PE_START = 64;
const OPTIONAL_BYTES = 112 + 8;

export function buildPe({
  machine = 0x8664,
  imageBase = 0x1_4000_0000n,
  isRelocatable = false,
  sections,
  symbols = [],
  exports = { address: 0, size: 0 },
}: PeSpec): Uint8Array {
  const strings = new ByteWriter();
  const nameField = (name: string) => {
    if (name.length <= 8) return { short: name, offset: 0 };
    const offset = 4 + strings.length;
    strings.cstring(name);
    return { short: undefined, offset };
  };
  const table = new ByteWriter();
  const data = new ByteWriter();
  const dataStart = PE_START + 24 + OPTIONAL_BYTES + 40 * sections.length;
  for (const { name, address, bytes, flags = 0x4000_0040 } of sections) {
    const { short, offset } = nameField(name);
    table
      .append(padded(short ?? `/${offset}`))
      .u32(bytes.length)
      .u32(address)
      .u32(bytes.length);
    table
      .u32(dataStart + data.length)
      .u32(0)
      .u32(0)
      .u32(0)
      .u32(flags);
    data.append(bytes);
  }
  const rows = new ByteWriter();
  let count = 0;
  for (const { name, value, section, type = 0x20, storage = 2, record } of symbols) {
    const { short, offset } = nameField(name);
    if (short === undefined) rows.u32(0).u32(offset);
    else rows.append(padded(short));
    rows
      .u32(value)
      .u16(section)
      .u16(type)
      .u8(storage)
      .u8(record === undefined ? 0 : 1)
      .append(record ?? new Uint8Array(0));
    count += record === undefined ? 1 : 2;
  }
  const hasTable = count > 0 || strings.length > 0;
  const coff = new ByteWriter().u32(0x4550).u16(machine).u16(sections.length).u32(0);
  coff
    .u32(hasTable ? dataStart + data.length : 0)
    .u32(count)
    .u16(OPTIONAL_BYTES)
    .u16(0x22);
  const optional = new ByteWriter().u16(0x20b).append(new Uint8Array(22)).u64(imageBase).append(new Uint8Array(24));
  optional
    .u32(0x10000)
    .append(new Uint8Array(10))
    .u16(isRelocatable ? 0x40 : 0)
    .append(new Uint8Array(36));
  optional.u32(1).u32(exports.address).u32(exports.size);
  const dos = new Uint8Array(PE_START);
  dos.set([0x4d, 0x5a]);
  dos[0x3c] = PE_START;
  const file = new ByteWriter().append(dos).append(coff.finish()).append(optional.finish()).append(table.finish());
  file.append(data.finish());
  if (hasTable)
    file
      .append(rows.finish())
      .u32(4 + strings.length)
      .append(strings.finish());
  return file.finish();
}

function padded(name: string): Uint8Array {
  const bytes = new Uint8Array(8);
  bytes.set(Buffer.from(name));
  return bytes;
}
