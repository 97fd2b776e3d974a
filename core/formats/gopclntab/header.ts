/**
 * pcHeader, the first bytes of Go's function table.
 * Source: Go src/runtime/symtab.go pcHeader, src/internal/abi/symtab.go PCLnTabMagic, src/debug/gosym/pclntab.go.
 * Go 1.26 kept the magic and writes 0 as textStart: the version cannot be told from the header.
 * Not supported: big-endian tables, and those of 32-bit programs (386, arm) before Go 1.18.
 */
import { FormatError } from '../errors.js';
import type { Budget } from '../limits.js';
import { ByteReader } from '../reader.js';
import type { GoLayout } from './table.js';

/** Of the header's first word; 1.2 … 1.15 are told, but not read. */
const LAYOUT_OF_MAGIC: ReadonlyMap<number, GoLayout | '1.2'> = new Map([
  [0xfffffffb, '1.2'],
  [0xfffffffa, '1.16'],
  [0xfffffff0, '1.18'],
  [0xfffffff1, '1.20'],
]);
const LOWEST_MAGIC = 0xfffffff0;
/** Bytes before the first word. */
const PREFIX_BYTES = 8;
/** Header of the longest layout. */
export const HEADER_BYTES = PREFIX_BYTES + 8 * 8;

export interface PclntabHeader {
  readonly layout: GoLayout;
  /** Of the words of this header and of moduledata; 4 for 386 and arm. */
  readonly pointerBytes: 4 | 8;
  /** Bytes of the smallest instruction; pc deltas count in these. */
  readonly quantum: number;
  readonly functionCount: number;
  /** Absolute address of runtime.text where the header says it (1.18 … 1.25). */
  readonly textStart: bigint | undefined;
  /** Offsets into the table, increasing. */
  readonly functionNames: number;
  readonly compilationUnits: number;
  readonly files: number;
  readonly pcTables: number;
  readonly functions: number;
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
 * @param head the table's first bytes, HEADER_BYTES if there are so many
 * @param available bytes from the magic on to where the table ends at the latest
 * @throws FormatError E_GO_MAGIC, E_GO_VERSION (before 1.16), E_GO_POINTER_SIZE, E_GO_HEADER for offsets that are not in
 * order or leave no room for the functions, E_LIMIT
 */
export function readPclntabHeader(head: Uint8Array, available: number, budget: Budget): PclntabHeader {
  const section = '.gopclntab';
  const reader = new ByteReader(head, section);
  const magic = reader.u32();
  const layout = LAYOUT_OF_MAGIC.get(magic);
  if (layout === undefined) {
    throw new FormatError('E_GO_MAGIC', 'no magic of Go function tables', { section, offset: 0, got: magic });
  }
  if (layout === '1.2') {
    throw new FormatError('E_GO_VERSION', 'table of Go 1.2 … 1.15 not supported (1.16 … 1.27)', { section, offset: 0 });
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
  if (pointerBytes === 4 && layout === '1.16') {
    throw new FormatError(
      'E_GO_POINTER_SIZE',
      'table of a 32-bit program of Go 1.16 or 1.17 not supported (1.18 … 1.27)',
      {
        section,
        offset: 7,
      },
    );
  }
  const word = () => (pointerBytes === 8 ? reader.size64() : reader.u32());
  const functionCount = word();
  reader.skip(pointerBytes); // number of files: entries are found by offset
  const textStart = layout === '1.16' ? 0n : pointerBytes === 8 ? reader.u64() : BigInt(reader.u32());
  const functionNames = word();
  const compilationUnits = word();
  const files = word();
  const pcTables = word();
  const functions = word();

  budget.check('tableRows', functionCount, { section, offset: PREFIX_BYTES });
  const functionBytes = functionTableBytes(layout, functionCount);
  const offsets = [reader.offset, functionNames, compilationUnits, files, pcTables, functions, available];
  const inOrder = offsets.every((offset, row) => row === 0 || offset >= offsets[row - 1]!);
  if (!inOrder || functionBytes > available - functions) {
    throw new FormatError('E_GO_HEADER', 'parts of the table are not in order or do not fit', {
      section,
      offset: reader.offset,
      got: `[${offsets.slice(1, -1).join(', ')}], ${functionCount} functions`,
      limit: available,
    });
  }
  return {
    layout,
    pointerBytes,
    quantum,
    functionCount,
    textStart: textStart === 0n ? undefined : textStart,
    functionNames,
    compilationUnits,
    files,
    pcTables,
    functions,
  };
}

/** Bytes of the index of functions: (entry, offset) pairs, and the end of the last one. */
export function functionTableBytes(layout: GoLayout, functionCount: number): number {
  return layout === '1.16' ? functionCount * 16 + 8 : functionCount * 8 + 4;
}
