/** Mach-O load commands: segments and their sections, the symbol table, the UUID. Source: Apple's mach-o/loader.h. */
import { FormatError } from '../errors.js';
import type { Budget } from '../limits.js';
import { ByteReader } from '../reader.js';
import type { ByteSource } from '../source.js';
import { HEADER_BYTES, type MachHeader, readMachHeader } from './header.js';

const Command = { symbolTable: 0x2, segment64: 0x19, uuid: 0x1b, main: 0x8000_0028 } as const;
const SECTION_BYTES = 80;
const SectionFlag = { type: 0xff, zeroFill: 0x1, someInstructions: 0x400, pureInstructions: 0x8000_0000 } as const;
export const Protection = { execute: 4 } as const;

export interface MachSegment {
  readonly name: string;
  readonly virtualAddress: bigint;
  readonly memoryBytes: number;
  readonly fileOffset: number;
  readonly fileBytes: number;
  readonly protection: number;
}

export interface MachSection {
  /** Without its segment: "__text". At most 16 bytes of what the compiler called it. */
  readonly name: string;
  readonly segment: string;
  readonly virtualAddress: bigint;
  readonly size: number;
  readonly fileOffset: number;
  readonly isCode: boolean;
  /** No bytes in the file. */
  readonly isZeroFill: boolean;
}

export interface MachSymbolTable {
  readonly fileOffset: number;
  readonly count: number;
  readonly stringsOffset: number;
  readonly stringBytes: number;
}

export interface MachFile {
  readonly source: ByteSource;
  readonly header: MachHeader;
  readonly segments: readonly MachSegment[];
  /** Numbered from 1 by symbols. */
  readonly sections: readonly MachSection[];
  readonly symbolTable: MachSymbolTable | undefined;
  /** Lower-case hex, as a build ID. */
  readonly uuid: string | undefined;
  /** Where execution begins, as a file offset; undefined for a library. */
  readonly entryOffset: number | undefined;
}

/** @throws FormatError E_MACHO_COMMAND for one that does not lie within the commands, of `readMachHeader`, E_TRUNCATED, E_RANGE, E_LIMIT */
export function readMachFile(source: ByteSource, budget: Budget): MachFile {
  const header = readMachHeader(source);
  const place = 'load commands';
  budget.check('elfSections', header.commands, { section: place });
  const bytes = source.read(HEADER_BYTES, header.commandBytes, place);
  const reader = new ByteReader(bytes, place);
  const segments: MachSegment[] = [];
  const sections: MachSection[] = [];
  let symbolTable: MachSymbolTable | undefined;
  let uuid: string | undefined;
  let entryOffset: number | undefined;
  for (let row = 0; row < header.commands; row++) {
    const start = reader.offset;
    const command = reader.u32();
    const size = reader.u32();
    if (size < 8 || size > bytes.length - start) {
      throw new FormatError('E_MACHO_COMMAND', `load command ${row} does not lie within the commands`, {
        section: place,
        offset: start,
        got: size,
        limit: bytes.length - start,
      });
    }
    const body = new ByteReader(bytes.subarray(start, start + size), `load command ${row}`, 8);
    if (command === Command.segment64) {
      const segment = readSegment(body);
      segments.push(segment);
      budget.check('elfSections', sections.length, { section: place });
      sections.push(...readSections(body));
    } else if (command === Command.symbolTable) {
      const [fileOffset, count, stringsOffset, stringBytes] = [body.u32(), body.u32(), body.u32(), body.u32()];
      symbolTable = { fileOffset, count, stringsOffset, stringBytes };
    } else if (command === Command.uuid) {
      uuid = Buffer.from(body.take(16)).toString('hex');
    } else if (command === Command.main) {
      entryOffset = body.size64();
    }
    reader.seek(start + size);
  }
  return { source, header, segments, sections, symbolTable, uuid, entryOffset };
}

function readSegment(reader: ByteReader): MachSegment {
  const name = fixedName(reader);
  const virtualAddress = reader.u64();
  const memoryBytes = Number(reader.u64());
  const fileOffset = reader.size64();
  const fileBytes = reader.size64();
  reader.skip(4); // the most that may be allowed
  return { name, virtualAddress, memoryBytes, fileOffset, fileBytes, protection: reader.u32() };
}

function readSections(reader: ByteReader): MachSection[] {
  const count = reader.u32();
  reader.skip(4); // flags
  const sections: MachSection[] = [];
  for (let row = 0; row < count; row++) {
    const start = reader.offset;
    const name = fixedName(reader);
    const segment = fixedName(reader);
    const virtualAddress = reader.u64();
    const size = reader.size64();
    const fileOffset = reader.u32();
    reader.skip(12); // alignment, relocations
    const flags = reader.u32();
    sections.push({
      name,
      segment,
      virtualAddress,
      size,
      fileOffset,
      isCode: (flags & (SectionFlag.pureInstructions | SectionFlag.someInstructions)) !== 0,
      isZeroFill: (flags & SectionFlag.type) === SectionFlag.zeroFill,
    });
    reader.seek(start + SECTION_BYTES);
  }
  return sections;
}

function fixedName(reader: ByteReader): string {
  const bytes = reader.take(16);
  const end = bytes.indexOf(0);
  return String.fromCharCode(...bytes.subarray(0, end < 0 ? 16 : end));
}
