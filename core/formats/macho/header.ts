/**
 * Mach-O header and the one of universal ("fat") files around several of them. Source: Apple's mach-o/loader.h and mach-o/fat.h.
 * Read are little-endian files of 64 bits; the others have error codes of their own.
 */
import { rangeSource } from '../bytes-source.js';
import { FormatError } from '../errors.js';
import { ByteReader } from '../reader.js';
import type { ByteSource } from '../source.js';

export const MachCpu = { x86_64: 0x0100_0007, arm64: 0x0100_000c } as const;
export const MachFlag = { pie: 0x20_0000 } as const;
export const MachFileType = { object: 1, execute: 2, dylib: 6, bundle: 8, dsym: 10 } as const;

const MAGIC = { little64: 0xfeedfacf, little32: 0xfeedface, big64: 0xcffaedfe, big32: 0xcefaedfe } as const;
const FAT_MAGIC = { offsets32: 0xcafebabe, offsets64: 0xcafebabf } as const;
/** A class file of Java begins with the same magic; its version stands where the number of slices does. */
const MAX_SLICES = 32;
export const HEADER_BYTES = 32;

export interface MachHeader {
  readonly cpu: number;
  readonly fileType: number;
  readonly commands: number;
  readonly commandBytes: number;
  readonly flags: number;
}

/** One of the files in a universal one. */
export interface FatSlice {
  readonly cpu: number;
  readonly fileOffset: number;
  readonly source: ByteSource;
}

/** Whether four bytes begin a Mach-O file, of any kind, or a universal one. */
export function isMachO(head: Uint8Array): boolean {
  if (head.length < 4) return false;
  const magic = new DataView(head.buffer, head.byteOffset).getUint32(0, true);
  return Object.values(MAGIC).includes(magic as never) || fatMagic(head) !== undefined;
}

/** @throws FormatError E_MACHO_CLASS, E_MACHO_BYTE_ORDER, E_MACHO_MAGIC, E_TRUNCATED */
export function readMachHeader(source: ByteSource): MachHeader {
  const section = 'Mach-O header';
  const reader = new ByteReader(source.read(0, Math.min(HEADER_BYTES, source.size), section), section);
  const magic = reader.u32();
  if (magic !== MAGIC.little64) throw magicError(magic, section);
  const cpu = reader.u32();
  reader.skip(4); // subtype
  return { cpu, fileType: reader.u32(), commands: reader.u32(), commandBytes: reader.u32(), flags: reader.u32() };
}

/** @returns undefined for a file that is not universal @throws FormatError E_MACHO_FAT for slices outside of the file or of each other */
export function readFatSlices(source: ByteSource): FatSlice[] | undefined {
  const section = 'universal header';
  if (source.size < 8) return undefined;
  const magic = fatMagic(source.read(0, 8, section));
  if (magic === undefined) return undefined;
  const count = new ByteReader(source.read(0, 8, section), section, 4, false).u32();
  const isWide = magic === FAT_MAGIC.offsets64;
  const entryBytes = isWide ? 32 : 20;
  const reader = new ByteReader(source.read(8, count * entryBytes, section), section, 0, false);
  const ranges = Array.from({ length: count }, () => {
    const start = reader.offset;
    const cpu = reader.u32();
    reader.skip(4); // subtype
    const fileOffset = isWide ? reader.size64() : reader.u32();
    const size = isWide ? reader.size64() : reader.u32();
    reader.seek(start + entryBytes);
    return { cpu, fileOffset, size, name: `slice of CPU 0x${cpu.toString(16)}` };
  });
  let end = 8 + count * entryBytes;
  for (const { fileOffset, size, name } of [...ranges].sort((a, b) => a.fileOffset - b.fileOffset)) {
    if (fileOffset < end || fileOffset + size > source.size) {
      throw new FormatError('E_MACHO_FAT', `${name} lies outside of the file, or over another`, {
        section,
        got: fileOffset,
        limit: fileOffset < end ? end : source.size - size,
      });
    }
    end = fileOffset + size;
  }
  return ranges.map((range) => ({ cpu: range.cpu, fileOffset: range.fileOffset, source: rangeSource(source, range) }));
}

function fatMagic(head: Uint8Array): number | undefined {
  const view = new DataView(head.buffer, head.byteOffset, head.byteLength);
  const magic = view.getUint32(0, false);
  if (magic !== FAT_MAGIC.offsets32 && magic !== FAT_MAGIC.offsets64) return undefined;
  return head.length < 8 || view.getUint32(4, false) <= MAX_SLICES ? magic : undefined;
}

function magicError(magic: number, section: string): FormatError {
  const place = { section, offset: 0, got: `0x${magic.toString(16)}` };
  if (magic === MAGIC.little32) return new FormatError('E_MACHO_CLASS', 'only 64-bit Mach-O', place);
  if (magic === MAGIC.big32 || magic === MAGIC.big64) {
    return new FormatError('E_MACHO_BYTE_ORDER', 'only little-endian Mach-O', place);
  }
  return new FormatError('E_MACHO_MAGIC', 'not a Mach-O file', place);
}
