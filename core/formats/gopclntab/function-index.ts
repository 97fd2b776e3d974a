/**
 * functab: the sorted index of functions by entry. Entries are kept relative to the first address, the base.
 * Source: Go src/runtime/symtab.go functab; before 1.18 {uintptr pc, uintptr off}, since then {uint32 entryoff, uint32 off}.
 */
import { FormatError } from '../errors.js';
import { functionTableBytes, hasAbsoluteEntries, type PclntabHeader } from './header.js';

export interface FunctionIndex {
  readonly length: number;
  /** `length + 1` entries, increasing, relative to runtime.text (before 1.18: to the first function); the last is the end. */
  readonly entries: Uint32Array;
  /** Offset of each function's record from the header's `records` on. */
  readonly records: Uint32Array;
  /** Absolute address of the first function; only before 1.18, where entries are absolute. */
  readonly firstAddress: bigint | undefined;
}

/**
 * @param held bytes of the table, as the header's `heldFrom` says
 * @throws FormatError E_GO_FUNCTAB when entries go down, span 4 GiB or more, or records lie outside of the table
 */
export function readFunctionIndex(held: Uint8Array, header: PclntabHeader): FunctionIndex {
  const { functionCount: length, functions, heldFrom, layout, pointerBytes } = header;
  const isAbsolute = hasAbsoluteEntries(layout);
  const isWide = isAbsolute && pointerBytes === 8;
  const view = new DataView(held.buffer, held.byteOffset + functions, functionTableBytes(layout, length, pointerBytes));
  const entries = new Uint32Array(length + 1);
  const records = new Uint32Array(length);
  const firstEntry = isWide ? view.getBigUint64(0, true) : isAbsolute ? BigInt(view.getUint32(0, true)) : 0n;
  const first32 = Number(firstEntry & 0xffffffffn);
  const rowBytes = isWide ? 16 : 8;
  const room = held.length - header.records;
  let previous = 0;
  for (let row = 0; row <= length; row++) {
    const at = row * rowBytes;
    const entry = isWide ? Number(view.getBigUint64(at, true) - firstEntry) : view.getUint32(at, true) - first32;
    if (entry < previous || entry > 0xffffffff)
      spoilt('entries go down or span 4 GiB', heldFrom + functions + at, entry, previous);
    entries[row] = entry;
    previous = entry;
    if (row === length) break;
    const record = isWide ? Number(view.getBigUint64(at + 8, true)) : view.getUint32(at + 4, true);
    if (record > room) {
      spoilt('function record lies behind the end of the table', heldFrom + functions + at, record, room);
    }
    records[row] = record;
  }
  return { length, entries, records, firstAddress: isAbsolute ? firstEntry : undefined };
}

function spoilt(message: string, offset: number, got: number, limit: number): never {
  throw new FormatError('E_GO_FUNCTAB', message, { section: '.gopclntab', offset, got, limit });
}
