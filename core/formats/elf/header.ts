/**
 * ELF header of 64-bit little-endian files. Source: System V ABI, "Object Files", ELF Header; extended numbering from its
 * section "Sections". Not supported: 32-bit and big-endian files, each with an error code of its own.
 */
import { FormatError } from '../errors.js';
import { ByteReader } from '../reader.js';
import type { ByteSource } from '../source.js';

export const ElfType = { rel: 1, exec: 2, dyn: 3, core: 4 } as const;
export const ElfMachine = { i386: 3, arm: 40, x86_64: 62, aarch64: 183 } as const;

const HEADER_BYTES = 64;
const SECTION_HEADER_BYTES = 64;
const PROGRAM_HEADER_BYTES = 56;
/** Counts of this value or more are kept in section header 0. */
const PN_XNUM = 0xffff;
const SHN_XINDEX = 0xffff;

export interface ElfHeader {
  readonly type: number;
  readonly machine: number;
  /** Program headers: offset into the file, and number (extended numbering resolved). */
  readonly programHeaders: { readonly fileOffset: number; readonly count: number };
  readonly sectionHeaders: { readonly fileOffset: number; readonly count: number };
  /** Index of the section that holds section names; 0 for none. */
  readonly sectionNames: number;
}

/** @throws FormatError E_ELF_MAGIC, E_ELF_CLASS, E_ELF_BYTE_ORDER, E_ELF_ENTRY_SIZE, E_TRUNCATED */
export function readElfHeader(source: ByteSource): ElfHeader {
  const section = 'ELF header';
  if (source.size < 4 || !isElf(source.read(0, 4, section))) {
    throw new FormatError('E_ELF_MAGIC', 'not an ELF file', { section, offset: 0 });
  }
  const reader = new ByteReader(source.read(0, Math.min(HEADER_BYTES, source.size), section), section, 4);
  const elfClass = reader.u8();
  if (elfClass !== 2) throw new FormatError('E_ELF_CLASS', 'only 64-bit ELF', { section, offset: 4, got: elfClass });
  const byteOrder = reader.u8();
  if (byteOrder !== 1) {
    throw new FormatError('E_ELF_BYTE_ORDER', 'only little-endian ELF', { section, offset: 5, got: byteOrder });
  }
  reader.seek(16);
  const type = reader.u16();
  const machine = reader.u16();
  reader.seek(32);
  const phoff = reader.size64();
  const shoff = reader.size64();
  reader.seek(54);
  const phentsize = reader.u16();
  let phnum = reader.u16();
  const shentsize = reader.u16();
  let shnum = reader.u16();
  let shstrndx = reader.u16();

  if (phoff !== 0 && phnum !== 0) expectEntrySize(phentsize, PROGRAM_HEADER_BYTES, 'program header', 54);
  if (shoff === 0) {
    shnum = 0;
    shstrndx = 0;
  } else {
    expectEntrySize(shentsize, SECTION_HEADER_BYTES, 'section header', 58);
    const place = 'section header 0';
    const first = new ByteReader(source.read(shoff, SECTION_HEADER_BYTES, place), place, 32);
    const size = first.size64();
    const link = first.u32();
    const info = first.u32();
    if (shnum === 0) shnum = size;
    if (shstrndx === SHN_XINDEX) shstrndx = link;
    if (phnum === PN_XNUM) phnum = info;
  }
  return {
    type,
    machine,
    programHeaders: { fileOffset: phoff, count: phoff === 0 ? 0 : phnum },
    sectionHeaders: { fileOffset: shoff, count: shnum },
    sectionNames: shstrndx,
  };
}

/** Whether bytes begin with ELF's magic. */
export function isElf(head: Uint8Array): boolean {
  return head[0] === 0x7f && head[1] === 0x45 && head[2] === 0x4c && head[3] === 0x46;
}

function expectEntrySize(got: number, wanted: number, what: string, offset: number): void {
  if (got === wanted) return;
  throw new FormatError('E_ELF_ENTRY_SIZE', `${what}s must have ${wanted} bytes`, {
    section: 'ELF header',
    offset,
    got,
    limit: wanted,
  });
}
