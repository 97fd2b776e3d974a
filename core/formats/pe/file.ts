/**
 * PE executables and libraries, of 32 and 64 bits: headers and sections. Source: Microsoft's "PE Format". Sections are loaded as a whole, so that
 * they are here what segments are elsewhere.
 */
import { FormatError } from '../errors.js';
import type { Budget } from '../limits.js';
import { ByteReader } from '../reader.js';
import type { ByteSource } from '../source.js';

export const PeMachine = { i386: 0x14c, arm: 0x1c4, amd64: 0x8664, arm64: 0xaa64 } as const;
export const PeSectionFlag = { execute: 0x2000_0000 } as const;
const DYNAMIC_BASE = 0x40;

const DOS_HEADER_BYTES = 64;
/** Where the DOS header says that the PE header is. */
const NEW_HEADER_FIELD = 0x3c;
const SIGNATURE = 0x4550;
const COFF_HEADER_BYTES = 24;
const SECTION_BYTES = 40;
/** The rest of the optional header, by its magic. */
const OPTIONAL: { readonly [magic: number]: { readonly wordBytes: 4 | 8; readonly directories: number } } = {
  267: { wordBytes: 4, directories: 96 },
  523: { wordBytes: 8, directories: 112 },
};
const EXPORT_DIRECTORY = 0;
const SYMBOL_BYTES = 18;

export interface PeSection {
  /** Resolved where it is too long for the header. */
  readonly name: string;
  readonly memoryBytes: number;
  /** Relative to the image base. */
  readonly address: number;
  readonly fileOffset: number;
  readonly fileBytes: number;
  readonly flags: number;
}

export interface PeFile {
  readonly source: ByteSource;
  readonly machine: number;
  readonly wordBytes: 4 | 8;
  readonly imageBase: bigint;
  /** Where execution begins, relative to the image base; 0 for a library without such a place. */
  readonly entry: number;
  readonly isRelocatable: boolean;
  readonly sections: readonly PeSection[];
  /** COFF's, which strippers remove; its strings lie right behind it. */
  readonly symbolTable: { readonly fileOffset: number; readonly count: number } | undefined;
  /** Address and size of the directory of exports. */
  readonly exports: { readonly address: number; readonly size: number } | undefined;
}

/** Whether bytes begin as programs of DOS and Windows do; `readPeFile` says whether there is more than the former. */
export function isPe(head: Uint8Array): boolean {
  return head[0] === 0x4d && head[1] === 0x5a;
}

/** @throws FormatError E_PE_MAGIC, E_PE_OPTIONAL_HEADER, E_PE_SECTION for one that ends behind the file's end, E_TRUNCATED, E_LIMIT */
export function readPeFile(source: ByteSource, budget: Budget): PeFile {
  const place = 'PE header';
  const dos = new ByteReader(source.read(0, Math.min(DOS_HEADER_BYTES, source.size), place), place, NEW_HEADER_FIELD);
  const start = dos.u32();
  const coff = new ByteReader(source.read(start, COFF_HEADER_BYTES, place), place);
  const signature = coff.u32();
  if (signature !== SIGNATURE) {
    const got = `0x${signature.toString(16)}`;
    throw new FormatError('E_PE_MAGIC', 'a DOS program, or no PE file', { section: place, offset: start, got });
  }
  const machine = coff.u16();
  const sectionCount = coff.u16();
  coff.skip(4); // time
  const symbolsOffset = coff.u32();
  const symbolCount = coff.u32();
  const optionalBytes = coff.u16();
  const optionalStart = start + COFF_HEADER_BYTES;
  const optional = new ByteReader(source.read(optionalStart, optionalBytes, 'optional header'), 'optional header');
  const magic = optional.u16();
  const layout = OPTIONAL[magic];
  if (layout === undefined) {
    const got = `0x${magic.toString(16)}`;
    throw new FormatError('E_PE_OPTIONAL_HEADER', 'neither PE32 nor PE32+', {
      section: 'optional header',
      offset: 0,
      got,
    });
  }
  optional.seek(16);
  const entry = optional.u32();
  optional.seek(layout.wordBytes === 8 ? 24 : 28);
  const imageBase = layout.wordBytes === 8 ? optional.u64() : BigInt(optional.u32());
  optional.seek(70);
  const isRelocatable = (optional.u16() & DYNAMIC_BASE) !== 0;
  optional.seek(layout.directories - 4);
  const directories = optional.u32();
  const exports = directories > EXPORT_DIRECTORY ? { address: optional.u32(), size: optional.u32() } : undefined;

  const symbolTable = symbolsOffset === 0 ? undefined : { fileOffset: symbolsOffset, count: symbolCount };
  const table = { fileOffset: optionalStart + optionalBytes, count: sectionCount };
  return {
    source,
    machine,
    wordBytes: layout.wordBytes,
    imageBase,
    entry,
    isRelocatable,
    sections: readSections(source, table, symbolTable, budget),
    symbolTable,
    exports: exports?.size ? exports : undefined,
  };
}

/** Of the strings behind the symbols; their first 4 bytes are their length. */
export function coffStrings(source: ByteSource, symbolTable: NonNullable<PeFile['symbolTable']>): Uint8Array {
  const start = symbolTable.fileOffset + symbolTable.count * SYMBOL_BYTES;
  const bytes = new ByteReader(source.read(start, 4, 'COFF strings'), 'COFF strings').u32();
  return source.read(start, Math.max(4, bytes), 'COFF strings');
}

function readSections(
  source: ByteSource,
  { fileOffset, count }: { readonly fileOffset: number; readonly count: number },
  symbolTable: PeFile['symbolTable'],
  budget: Budget,
): PeSection[] {
  const place = 'section headers';
  budget.check('elfSections', count, { section: place });
  const reader = new ByteReader(source.read(fileOffset, count * SECTION_BYTES, place), place);
  let strings: Uint8Array | undefined;
  return Array.from({ length: count }, (_, row) => {
    const at = reader.offset;
    const short = textUntilNul(reader.take(8));
    const memoryBytes = reader.u32();
    const address = reader.u32();
    const fileBytes = reader.u32();
    const start = reader.u32();
    reader.skip(12); // relocations, line numbers
    const flags = reader.u32();
    if (start + fileBytes > source.size) {
      throw new FormatError('E_PE_SECTION', `section ${row} ends behind the end of the file`, {
        section: place,
        offset: at,
        got: start + fileBytes,
        limit: source.size,
      });
    }
    const long = /^\/(\d{1,7})$/.exec(short);
    if (long !== null && symbolTable !== undefined) strings ??= coffStrings(source, symbolTable);
    const name = long === null || strings === undefined ? short : textUntilNul(strings.subarray(Number(long[1])));
    return { name, memoryBytes, address, fileOffset: start, fileBytes, flags };
  });
}

/** Names longer than this are cut: sections have short ones. */
const NAME_BYTES = 256;

function textUntilNul(bytes: Uint8Array): string {
  const end = bytes.indexOf(0);
  return String.fromCharCode(...bytes.subarray(0, Math.min(end < 0 ? bytes.length : end, NAME_BYTES)));
}
