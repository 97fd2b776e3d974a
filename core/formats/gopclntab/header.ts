/**
 * pcHeader, the first bytes of Go's function table.
 * Source: Go src/runtime/symtab.go pcHeader, src/internal/abi/symtab.go PCLnTabMagic, src/debug/gosym/pclntab.go.
 * Go 1.12 and 1.26 kept the magic, and 1.26 writes 0 as textStart: the version cannot be told from the header.
 * Not supported: big-endian tables.
 */
import { FormatError } from '../errors.js';
import type { Budget } from '../limits.js';
import { ByteReader } from '../reader.js';
import type { GoLayout } from './table.js';

/** Of the header's first word. */
const LAYOUT_OF_MAGIC: ReadonlyMap<number, GoLayout> = new Map([
  [0xfffffffb, '1.2'],
  [0xfffffffa, '1.16'],
  [0xfffffff0, '1.18'],
  [0xfffffff1, '1.20'],
]);
const section = '.gopclntab';
const LOWEST_MAGIC = 0xfffffff0;
/** Bytes before the first word. */
const PREFIX_BYTES = 8;
/** Header of the longest layout. */
export const HEADER_BYTES = PREFIX_BYTES + 8 * 8;

/** A part of the table: [start, end), offsets into it. */
export type TablePart = readonly [start: number, end: number];

export interface PclntabHeader {
  readonly layout: GoLayout;
  /** Of the words of this header and of moduledata; 4 for 386 and arm. */
  readonly pointerBytes: 4 | 8;
  /** Bytes of the smallest instruction; pc deltas count in these. */
  readonly quantum: number;
  readonly functionCount: number;
  /** Absolute address of runtime.text where the header says it (1.18 … 1.25). */
  readonly textStart: bigint | undefined;
  /** What functions' names count from; before 1.16, as the next three, all of the table. */
  readonly functionNames: TablePart;
  /** Offsets of files, 4 bytes each, by compilation unit; before 1.16 of all units alike. */
  readonly fileOffsets: TablePart;
  /** 1 before 1.16, where the number of files stands in place of the first offset. */
  readonly firstFile: 0 | 1;
  readonly files: TablePart;
  /** Where the part that is held in memory begins: the next three, offsets into it, and what they lead to. */
  readonly heldFrom: number;
  /** Start of what offsets of pc-value tables count from. */
  readonly pcTables: number;
  /** Start of the index of functions. */
  readonly functions: number;
  /** Start of what offsets of functions' records count from. */
  readonly records: number;
}

/**
 * First offset, of `from`, `from` + 8 … up to `last`, where there is one of the magics, two zero bytes and a plausible quantum
 * and pointer size; −1 for none.
 * @param quantum that it must have; undefined for any
 */
export function findMagic(view: DataView, from: number, last: number, quantum: number | undefined): number {
  for (let offset = from; offset <= last; offset += 8) {
    const word = view.getUint32(offset, true);
    if (word < LOWEST_MAGIC || !LAYOUT_OF_MAGIC.has(word)) continue;
    const pointerBytes = view.getUint8(offset + 7);
    if (view.getUint16(offset + 4, true) !== 0 || (pointerBytes !== 8 && pointerBytes !== 4)) continue;
    const found = view.getUint8(offset + 6);
    if (quantum === undefined ? found === 1 || found === 2 || found === 4 : found === quantum) return offset;
  }
  return -1;
}

/**
 * @param read bytes of the table at an offset from the magic on, shorter where it ends
 * @param available bytes from the magic on to where the table ends at the latest
 * @throws FormatError E_GO_MAGIC, E_GO_POINTER_SIZE, E_GO_HEADER for offsets that are not in order or leave no room for the
 * functions, E_LIMIT
 */
export function readPclntabHeader(
  read: (offset: number, length: number) => Uint8Array,
  available: number,
  budget: Budget,
): PclntabHeader {
  const reader = new ByteReader(read(0, Math.min(HEADER_BYTES, available)), section);
  const magic = reader.u32();
  const layout = LAYOUT_OF_MAGIC.get(magic);
  if (layout === undefined) {
    throw new FormatError('E_GO_MAGIC', 'no magic of Go function tables', { section, offset: 0, got: magic });
  }
  reader.skip(2);
  const quantum = reader.u8();
  const pointerBytes = reader.u8();
  if ((pointerBytes !== 8 && pointerBytes !== 4) || (quantum !== 1 && quantum !== 2 && quantum !== 4)) {
    throw new FormatError('E_GO_POINTER_SIZE', 'only tables with pointers of 4 or 8 and a quantum of 1, 2 or 4', {
      section,
      offset: 6,
      got: `quantum ${quantum}, pointers of ${pointerBytes}`,
    });
  }
  const word = () => (pointerBytes === 8 ? reader.size64() : reader.u32());
  const functionCount = word();
  budget.check('tableRows', functionCount, { section, offset: PREFIX_BYTES });
  const parts =
    layout === '1.2'
      ? readPartsInOne(read, available, { functions: reader.offset, functionCount, pointerBytes }, budget)
      : readParts(reader, available, { layout, functionCount, pointerBytes });
  return { layout, pointerBytes, quantum, functionCount, ...parts };
}

type Parts = Omit<PclntabHeader, 'layout' | 'pointerBytes' | 'quantum' | 'functionCount'>;

/** From 1.16: the header has the offset of each part. */
function readParts(
  reader: ByteReader,
  available: number,
  { layout, functionCount, pointerBytes }: Pick<PclntabHeader, 'layout' | 'functionCount' | 'pointerBytes'>,
): Parts {
  const word = () => (pointerBytes === 8 ? reader.size64() : reader.u32());
  word(); // number of files: entries are found by offset
  const textStart = layout === '1.16' ? 0n : pointerBytes === 8 ? reader.u64() : BigInt(reader.u32());
  const offsets = [word(), word(), word(), word(), word()] as const;
  const [functionNames, compilationUnits, files, pcTables, functions] = offsets;
  const places = [reader.offset, ...offsets, available];
  const inOrder = places.every((place, row) => row === 0 || place >= places[row - 1]!);
  if (!inOrder || functionTableBytes(layout, functionCount, pointerBytes) > available - functions) {
    throw new FormatError('E_GO_HEADER', 'parts of the table are not in order or do not fit', {
      section,
      offset: reader.offset,
      got: `[${offsets.join(', ')}], ${functionCount} functions`,
      limit: available,
    });
  }
  return {
    textStart: textStart === 0n ? undefined : textStart,
    functionNames: [functionNames, compilationUnits],
    fileOffsets: [compilationUnits, files],
    firstFile: 0,
    files: [files, pcTables],
    heldFrom: pcTables,
    pcTables: 0,
    functions: functions - pcTables,
    records: functions - pcTables,
  };
}

/** 1.2 … 1.15: the index of functions comes first, behind it the offset of the files' table; the rest is anywhere. */
function readPartsInOne(
  read: (offset: number, length: number) => Uint8Array,
  available: number,
  { functions, functionCount, pointerBytes }: Pick<PclntabHeader, 'functions' | 'functionCount' | 'pointerBytes'>,
  budget: Budget,
): Parts {
  const behindIndex = functions + functionTableBytes('1.2', functionCount, pointerBytes);
  const fileTable = behindIndex + 4 <= available ? new ByteReader(read(behindIndex, 4), section).u32() : available;
  const fileCount = fileTable + 4 <= available ? new ByteReader(read(fileTable, 4), section).u32() : 0;
  // The count stands in place of file 0, which there is not.
  if (behindIndex >= fileTable || fileTable + 4 * fileCount > available) {
    throw new FormatError('E_GO_HEADER', 'index of functions and table of files do not fit', {
      section,
      offset: PREFIX_BYTES,
      got: `${functionCount} functions, ${fileCount} files at ${fileTable}`,
      limit: available,
    });
  }
  budget.check('tableRows', fileCount, { section, offset: fileTable });
  return {
    textStart: undefined,
    functionNames: [0, available],
    // Up to 1.7 the count leaves itself out, and the last file lies behind.
    fileOffsets: [fileTable, Math.min(fileTable + 4 * (fileCount + 1), available)],
    firstFile: 1,
    files: [0, available],
    heldFrom: 0,
    pcTables: 0,
    functions,
    records: 0,
  };
}

/** Before 1.18 entries are absolute addresses. */
export function hasAbsoluteEntries(layout: GoLayout): boolean {
  return layout === '1.2' || layout === '1.12' || layout === '1.16';
}

/** Bytes of the index of functions: (entry, offset) pairs, and the end of the last one. */
export function functionTableBytes(layout: GoLayout, functionCount: number, pointerBytes: 4 | 8): number {
  const wordBytes = hasAbsoluteEntries(layout) ? pointerBytes : 4;
  return (2 * functionCount + 1) * wordBytes;
}
