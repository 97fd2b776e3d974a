/** Assembles ELF files: what tests of readers need of the format, and ways to spoil it. */
import { SectionFlag, SectionType } from '../../core/formats/elf/section.js';
import { SegmentFlag, SegmentType } from '../../core/formats/elf/segment.js';
import { SymbolBinding, SymbolType } from '../../core/formats/elf/symbol.js';
import { FormatError } from '../../core/formats/errors.js';
import type { ByteSource } from '../../core/formats/source.js';
import { ByteWriter } from './bytes.js';

export interface SegmentSpec {
  readonly type?: number;
  readonly flags: number;
  readonly virtualAddress: bigint;
  readonly bytes: Uint8Array;
  readonly memoryBytes?: number;
}

export interface SectionSpec {
  readonly name: string;
  readonly type?: number;
  readonly flags?: number;
  readonly virtualAddress?: bigint;
  /** Own bytes, or those of a loaded address when absent. */
  readonly bytes?: Uint8Array;
  readonly size?: number;
  /** Name of the section it refers to. */
  readonly link?: string;
  readonly entrySize?: number;
  /** Default 4. */
  readonly align?: number;
}

export interface ElfSpec {
  /** 4 for a 32-bit file; default 8. */
  readonly wordBytes?: 4 | 8;
  /** ElfType; default exec. */
  readonly type?: number;
  /** ElfMachine; default x86-64. */
  readonly machine?: number;
  readonly segments?: readonly SegmentSpec[];
  readonly sections?: readonly SectionSpec[];
}

export const flags = {
  code: SegmentFlag.read | SegmentFlag.execute,
  readOnly: SegmentFlag.read,
  data: SegmentFlag.read | SegmentFlag.write,
  allocated: SectionFlag.alloc,
  allocatedCode: SectionFlag.alloc | SectionFlag.execute,
};

const PAGE = 0x1000;

const LAYOUT = {
  4: { elfClass: 1, headerBytes: 52, programHeaderBytes: 32, sectionHeaderBytes: 40 },
  8: { elfClass: 2, headerBytes: 64, programHeaderBytes: 56, sectionHeaderBytes: 64 },
} as const;

export function buildElf(spec: ElfSpec): Uint8Array {
  return layOutElf(spec).bytes;
}

/** Segments start at page borders of the file; behind them come sections' own bytes, names, section headers. */
export function layOutElf(spec: ElfSpec): { bytes: Uint8Array; segmentOffsets: readonly number[] } {
  const { segments = [], sections = [] } = spec;
  const body = new ByteWriter();
  const layout = LAYOUT[spec.wordBytes ?? 8];
  body.padTo(layout.headerBytes + segments.length * layout.programHeaderBytes);
  const segmentOffsets = segments.map(({ bytes }) => {
    body.align(PAGE);
    const fileOffset = body.length;
    body.append(bytes);
    return fileOffset;
  });
  const fileOffsetOf = (address: bigint): number => {
    const row = segments.findIndex(
      ({ virtualAddress, bytes }) => address >= virtualAddress && address < virtualAddress + BigInt(bytes.length),
    );
    return row < 0 ? 0 : segmentOffsets[row]! + Number(address - segments[row]!.virtualAddress);
  };
  const rows = sections.map((section) => {
    const { bytes, virtualAddress = 0n } = section;
    if (bytes === undefined) return { ...section, fileOffset: fileOffsetOf(virtualAddress), size: section.size ?? 0 };
    body.align(8);
    const fileOffset = body.length;
    body.append(bytes);
    return { ...section, fileOffset, size: section.size ?? bytes.length };
  });
  const words = (writer: ByteWriter, ...values: (number | bigint)[]) =>
    layout.elfClass === 2 ? writer.u64(...values) : writer.u32(...values.map(Number));
  const names = new ByteWriter().u8(0);
  const nameOffsets = [...rows.map(({ name }) => name), '.shstrtab'].map((name) => {
    const offset = names.length;
    names.cstring(name);
    return offset;
  });
  const namesAt = body.length;
  body.append(names.finish()).align(8);
  const sectionsAt = body.length;
  if (rows.length > 0) {
    body.append(new Uint8Array(layout.sectionHeaderBytes));
    rows.forEach((row, index) => {
      body.u32(nameOffsets[index]!, row.type ?? 1);
      words(body, row.flags ?? 0, row.virtualAddress ?? 0n, row.fileOffset, row.size);
      body.u32(row.link === undefined ? 0 : linkedRow(rows, row.link), 0);
      words(body, row.align ?? 4, row.entrySize ?? 0);
    });
    body.u32(nameOffsets.at(-1)!, SectionType.strtab);
    words(body, 0, 0, namesAt, names.length);
    body.u32(0, 0);
    words(body, 1, 0);
  }
  const file = body.finish();

  const header = new ByteWriter().u8(0x7f).text('ELF').u8(layout.elfClass, 1, 1).padTo(16);
  header.u16(spec.type ?? 2).u16(spec.machine ?? 62);
  header.u32(1);
  words(header, 0, segments.length === 0 ? 0 : layout.headerBytes, rows.length === 0 ? 0 : sectionsAt);
  header.u32(0).u16(layout.headerBytes).u16(layout.programHeaderBytes).u16(segments.length);
  header.u16(layout.sectionHeaderBytes);
  header.u16(rows.length === 0 ? 0 : rows.length + 2).u16(rows.length === 0 ? 0 : rows.length + 1);
  segments.forEach(({ type, flags: segmentFlags, virtualAddress, bytes, memoryBytes }, index) => {
    const is64 = layout.elfClass === 2;
    header.u32(type ?? SegmentType.load);
    if (is64) header.u32(segmentFlags);
    words(header, segmentOffsets[index]!, virtualAddress, virtualAddress, bytes.length, memoryBytes ?? bytes.length);
    if (!is64) header.u32(segmentFlags);
    words(header, PAGE);
  });
  file.set(header.finish());
  return { bytes: file, segmentOffsets };
}

/** One note: name, description and their padding. */
export function buildNote(owner: string, type: number, description: Uint8Array): Uint8Array {
  return new ByteWriter()
    .u32(owner.length + 1, description.length, type)
    .cstring(owner)
    .align(4)
    .append(description)
    .align(4)
    .finish();
}

/** One row of a symbol table. */
export interface SymbolSpec {
  readonly name: string;
  readonly value: number | bigint;
  readonly size?: number;
  /** SymbolType; default function. */
  readonly type?: number;
  /** SymbolBinding; default global. */
  readonly binding?: number;
  /** Row of its section; default 1. */
  readonly section?: number;
}

/** `.symtab` and `.strtab`, or the dynamic ones. */
export function symbolSections(
  symbols: readonly SymbolSpec[],
  kind: 'symtab' | 'dynsym' = 'symtab',
  wordBytes: 4 | 8 = 8,
): SectionSpec[] {
  const entrySize = wordBytes === 8 ? 24 : 16;
  const names = new ByteWriter().u8(0);
  const table = new ByteWriter().padTo(entrySize);
  for (const {
    name,
    value,
    size = 0,
    type = SymbolType.function,
    binding = SymbolBinding.global,
    section = 1,
  } of symbols) {
    table.u32(names.length);
    if (wordBytes === 4) table.u32(Number(value), size);
    table.u8((binding << 4) | type, 0).u16(section);
    if (wordBytes === 8) table.u64(value, size);
    names.cstring(name);
  }
  const link = kind === 'symtab' ? '.strtab' : '.dynstr';
  return [
    { name: `.${kind}`, type: SectionType[kind], bytes: table.finish(), link, entrySize },
    { name: link, type: SectionType.strtab, bytes: names.finish() },
  ];
}

/** Bytes in memory as a source that keeps to the contract of ByteSource. */
export function memorySource(bytes: Uint8Array): ByteSource {
  return {
    size: bytes.length,
    read(fileOffset, length, section) {
      if (!(fileOffset >= 0 && length >= 0 && length <= bytes.length - fileOffset)) {
        throw new FormatError('E_TRUNCATED', 'behind the end', { section, offset: fileOffset, got: length });
      }
      return bytes.subarray(fileOffset, fileOffset + length);
    },
  };
}

function linkedRow(rows: readonly { readonly name: string }[], name: string): number {
  return rows.findIndex((row) => row.name === name) + 1;
}
