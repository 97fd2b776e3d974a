/** ELF program headers. Source: System V ABI, "Program Loading and Dynamic Linking", Program Header. */
import { FormatError } from '../errors.js';
import type { Budget } from '../limits.js';
import { ByteReader } from '../reader.js';
import type { ByteSource } from '../source.js';
import type { ElfHeader } from './header.js';

export const SegmentType = { load: 1, dynamic: 2, note: 4 } as const;
export const SegmentFlag = { execute: 1, write: 2, read: 4 } as const;

const PROGRAM_HEADER_BYTES = 56;

/** One program header, fields in the order of the ABI. */
export interface ElfSegment {
  readonly type: number;
  readonly flags: number;
  readonly fileOffset: number;
  readonly virtualAddress: bigint;
  readonly fileBytes: number;
  readonly memoryBytes: number;
  readonly align: bigint;
}

/** @throws FormatError E_TRUNCATED, E_RANGE, E_ELF_SEGMENT for more bytes in the file than in memory */
export function readSegments(source: ByteSource, header: ElfHeader, budget: Budget): ElfSegment[] {
  const { fileOffset, count } = header.programHeaders;
  const section = 'program headers';
  budget.check('elfSections', count, { section });
  const reader = new ByteReader(source.read(fileOffset, count * PROGRAM_HEADER_BYTES, section), section);
  const segments: ElfSegment[] = [];
  for (let row = 0; row < count; row++) {
    const at = reader.offset;
    const type = reader.u32();
    const flags = reader.u32();
    const offset = reader.size64();
    const virtualAddress = reader.u64();
    reader.skip(8); // physical address
    const fileBytes = reader.size64();
    const memoryBytes = reader.size64();
    const align = reader.u64();
    if (type === SegmentType.load && fileBytes > memoryBytes) {
      throw new FormatError('E_ELF_SEGMENT', `segment ${row} has more bytes in the file than in memory`, {
        section,
        offset: at,
        got: fileBytes,
        limit: memoryBytes,
      });
    }
    segments.push({ type, flags, fileOffset: offset, virtualAddress, fileBytes, memoryBytes, align });
  }
  return segments;
}
