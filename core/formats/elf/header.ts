/**
 * ELF header of little-endian files, 32-bit or 64-bit. Source: System V ABI, "Object Files", ELF Header; extended numbering from
 * its section "Sections". Not supported: big-endian files, with an error code of their own.
 */
import { FormatError } from '../errors.js';
import { ByteReader } from '../reader.js';
import type { ByteSource } from '../source.js';
import { readSizeWord, type WordBytes } from './word.js';

export const ElfType = { rel: 1, exec: 2, dyn: 3, core: 4 } as const;
export const ElfMachine = { i386: 3, arm: 40, x86_64: 62, aarch64: 183 } as const;

/** What differs between the two classes, in bytes: sizes of the structures, and where in the header their sizes and numbers stand. */
const LAYOUT = {
  4: { headerBytes: 52, programHeaderBytes: 32, sectionHeaderBytes: 40, phoff: 28, phentsize: 42 },
  8: { headerBytes: 64, programHeaderBytes: 56, sectionHeaderBytes: 64, phoff: 32, phentsize: 54 },
} as const;
const CLASS: { readonly [elfClass: number]: WordBytes } = { 1: 4, 2: 8 };
/** Counts of this value or more are kept in section header 0. */
const PN_XNUM = 0xffff;
const SHN_XINDEX = 0xffff;

export interface HeaderTable {
  readonly fileOffset: number;
  /** Extended numbering resolved; not compared with the file's size. */
  readonly count: number;
  readonly entryBytes: number;
}

export interface ElfHeader {
  /** By the file's class. */
  readonly wordBytes: WordBytes;
  readonly type: number;
  readonly machine: number;
  /** Virtual address that execution begins at; 0 for none. */
  readonly entry: bigint;
  readonly programHeaders: HeaderTable;
  readonly sectionHeaders: HeaderTable;
  /** Index of the section that holds section names; 0 for none. */
  readonly sectionNames: number;
}

/** @throws FormatError E_ELF_MAGIC, E_ELF_CLASS, E_ELF_BYTE_ORDER, E_ELF_ENTRY_SIZE, E_TRUNCATED */
export function readElfHeader(source: ByteSource): ElfHeader {
  const section = 'ELF header';
  if (source.size < 4 || !isElf(source.read(0, 4, section))) {
    throw new FormatError('E_ELF_MAGIC', 'not an ELF file', { section, offset: 0 });
  }
  const identification = new ByteReader(source.read(0, Math.min(6, source.size), section), section, 4);
  const elfClass = identification.u8();
  const wordBytes = CLASS[elfClass];
  if (wordBytes === undefined) {
    throw new FormatError('E_ELF_CLASS', 'neither 32-bit nor 64-bit ELF', { section, offset: 4, got: elfClass });
  }
  const byteOrder = identification.u8();
  if (byteOrder !== 1) {
    throw new FormatError('E_ELF_BYTE_ORDER', 'only little-endian ELF', { section, offset: 5, got: byteOrder });
  }
  const layout = LAYOUT[wordBytes];
  const reader = new ByteReader(source.read(0, Math.min(layout.headerBytes, source.size), section), section, 16);
  const type = reader.u16();
  const machine = reader.u16();
  reader.skip(4); // e_version
  const entry = wordBytes === 8 ? reader.u64() : BigInt(reader.u32());
  reader.seek(layout.phoff);
  const phoff = readSizeWord(reader, wordBytes);
  const shoff = readSizeWord(reader, wordBytes);
  reader.seek(layout.phentsize);
  const phentsize = reader.u16();
  let phnum = reader.u16();
  const shentsize = reader.u16();
  let shnum = reader.u16();
  let shstrndx = reader.u16();

  if (phoff !== 0 && phnum !== 0) {
    expectEntrySize(phentsize, layout.programHeaderBytes, 'program header', layout.phentsize);
  }
  if (shoff === 0) {
    shnum = 0;
    shstrndx = 0;
  } else {
    expectEntrySize(shentsize, layout.sectionHeaderBytes, 'section header', layout.phentsize + 4);
    const place = 'section header 0';
    const first = new ByteReader(source.read(shoff, layout.sectionHeaderBytes, place), place, 8 + 3 * wordBytes);
    const size = readSizeWord(first, wordBytes);
    const link = first.u32();
    const info = first.u32();
    if (shnum === 0) shnum = size;
    if (shstrndx === SHN_XINDEX) shstrndx = link;
    if (phnum === PN_XNUM) phnum = info;
  }
  return {
    wordBytes,
    type,
    machine,
    entry,
    programHeaders: { fileOffset: phoff, count: phoff === 0 ? 0 : phnum, entryBytes: layout.programHeaderBytes },
    sectionHeaders: { fileOffset: shoff, count: shnum, entryBytes: layout.sectionHeaderBytes },
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
