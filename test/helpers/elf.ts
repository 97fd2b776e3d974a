/** Assembles ELF64 files: what tests of readers need of the format, and ways to spoil it. */
import { SectionFlag, SectionType } from '../../core/formats/elf/section.js';
import { SegmentFlag, SegmentType } from '../../core/formats/elf/segment.js';
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
}

export interface ElfSpec {
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

export function buildElf(spec: ElfSpec): Uint8Array {
  return layOutElf(spec).bytes;
}

/** Segments start at page borders of the file; behind them come sections' own bytes, names, section headers. */
export function layOutElf(spec: ElfSpec): { bytes: Uint8Array; segmentOffsets: readonly number[] } {
  const { segments = [], sections = [] } = spec;
  const body = new ByteWriter();
  const headerBytes = 64 + segments.length * 56;
  body.padTo(headerBytes);
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
    body.append(new Uint8Array(64));
    rows.forEach((row, index) => {
      body.u32(nameOffsets[index]!, row.type ?? 1).u64(row.flags ?? 0, row.virtualAddress ?? 0n);
      body.u64(row.fileOffset, row.size).u32(row.link === undefined ? 0 : linkedRow(rows, row.link), 0);
      body.u64(4, row.entrySize ?? 0);
    });
    body.u32(nameOffsets.at(-1)!, SectionType.strtab).u64(0, 0, namesAt, names.length).u32(0, 0).u64(1, 0);
  }
  const file = body.finish();

  const header = new ByteWriter().u8(0x7f).text('ELF').u8(2, 1, 1).padTo(16);
  header
    .u16(spec.type ?? 2)
    .u16(spec.machine ?? 62)
    .u32(1)
    .u64(0, segments.length === 0 ? 0 : 64);
  header
    .u64(rows.length === 0 ? 0 : sectionsAt)
    .u32(0)
    .u16(64)
    .u16(56)
    .u16(segments.length)
    .u16(64);
  header.u16(rows.length === 0 ? 0 : rows.length + 2).u16(rows.length === 0 ? 0 : rows.length + 1);
  segments.forEach(({ type, flags: segmentFlags, virtualAddress, bytes, memoryBytes }, index) => {
    header.u32(type ?? SegmentType.load, segmentFlags).u64(segmentOffsets[index]!, virtualAddress, virtualAddress);
    header.u64(bytes.length, memoryBytes ?? bytes.length, PAGE);
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
