/** ELF program headers. Source: System V ABI, "Program Loading and Dynamic Linking", Program Header. */
import { FormatError } from '../errors.js';
import type { Budget } from '../limits.js';
import { ByteReader } from '../reader.js';
import type { ByteSource } from '../source.js';
import type { ElfHeader } from './header.js';
import { readSizeWord, readWord } from './word.js';

export const SegmentType = { load: 1, dynamic: 2, note: 4, ehFrameHeader: 0x6474e550 } as const;
export const SegmentFlag = { execute: 1, write: 2, read: 4 } as const;

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
  const { wordBytes } = header;
  const { fileOffset, count, entryBytes } = header.programHeaders;
  const section = 'program headers';
  budget.check('elfSections', count, { section });
  const reader = new ByteReader(source.read(fileOffset, count * entryBytes, section), section);
  const segments: ElfSegment[] = [];
  for (let row = 0; row < count; row++) {
    const at = reader.offset;
    const type = reader.u32();
    // Flags stand before the offset in the 64-bit form, behind the sizes in the 32-bit one.
    const flagsBefore = wordBytes === 8 ? reader.u32() : 0;
    const offset = readSizeWord(reader, wordBytes);
    const virtualAddress = readWord(reader, wordBytes);
    reader.skip(wordBytes); // physical address
    const fileBytes = readSizeWord(reader, wordBytes);
    const memoryBytes = readSizeWord(reader, wordBytes);
    const flags = wordBytes === 8 ? flagsBefore : reader.u32();
    const align = readWord(reader, wordBytes);
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
