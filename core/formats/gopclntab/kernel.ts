/**
 * kernels/gopclntab and its memory, which holds a table: its functions and pc-value tables are asked for there. All memory is taken when an
 * instance is made, so that views of it stay good.
 */
import { defineKernel, type KernelExports } from '../kernel.js';
import type { FunctionIndex } from './function-index.js';
import { RECORD_LAYOUT } from './function-record.js';
import { hasAbsoluteEntries, type PclntabHeader } from './header.js';
import { gopclntabKernel } from './kernel.gen.js';
import type { TablePartBytes } from './table-part.js';

interface Global {
  readonly value: number;
}

/** What kernels/gopclntab/index.ts exports. Addresses are signed. */
interface GopclntabExports extends KernelExports {
  placeTable(bytes: number, functionCount: number, nameBytes: number, fileOffsetBytes: number, fileBytes: number): void;
  describeTable(
    pcTables: number,
    records: number,
    quantum: number,
    funcdataBytes: number,
    hasAbsoluteEntries: boolean,
    fixedBytes: number,
    unitField: number,
    startLineField: number,
  ): void;
  readonly held: Global;
  readonly entries: Global;
  readonly records: Global;
  readonly names: Global;
  readonly fileOffsets: Global;
  cachedBytes(): number;
  valueAt(offset: number, codeBytes: number, at: number): number;
  readonly isFound: Global;
  findFunction(relative: number): number;
  enter(relative: number): number;
  move(at: number): void;
  placeAddress(): number;
  useInlineNumbers(pcdata: number, funcdata: number): void;
  useTrees(offset: number): void;
  readonly places: Global;
  readonly counts: Global;
  readonly rows: Global;
  readonly rowCount: Global;
  frameRows(first: number, count: number, maxDepth: number): void;
  readonly placesDone: Global;
}

/** Words of the place that was asked for last: see kernels/gopclntab/place.ts. */
export const PlaceWord = {
  codeBytes: 0,
  nameOffset: 1,
  compilationUnit: 2,
  startLine: 3,
  treeLow: 4,
  treeHigh: 5,
  line: 6,
  file: 7,
  treeRow: 8,
} as const;
const PLACE_WORDS = 9;

/** What names of functions, and file numbers, are looked up in. */
export interface HeldTexts {
  readonly names: TablePartBytes;
  readonly fileOffsets: TablePartBytes;
  /** These are not held here. */
  readonly files: TablePartBytes;
}

const instantiate = defineKernel<GopclntabExports>('gopclntab', gopclntabKernel);

export class PclnKernel {
  readonly exports: GopclntabExports;
  /** What is held of the table. */
  readonly bytes: Uint8Array;
  /** Of the functions: see `FunctionIndex`. */
  readonly entries: Uint32Array;
  readonly records: Uint32Array;
  /** By `PlaceWord`. */
  readonly place: Int32Array;

  /**
   * @param bytes of the table, as the header's `heldFrom` says
   * @param texts parts of the table that are held here too
   * @param fail throws what is wrong: see kernels/gopclntab/imports.ts
   */
  constructor(
    bytes: Uint8Array,
    header: PclntabHeader,
    index: FunctionIndex,
    texts: HeldTexts | undefined,
    fail: (problem: number, value: number, codeBytes: number) => never,
  ) {
    const { layout, pcTables, records, quantum, pointerBytes } = header;
    const exports = instantiate({ fail });
    const { names, fileOffsets, files } = texts ?? {};
    exports.placeTable(bytes.length, index.length, names?.length ?? 0, fileOffsets?.length ?? 0, files?.length ?? 0);
    const isAbsolute = hasAbsoluteEntries(layout);
    const funcdataBytes = isAbsolute ? pointerBytes : 4;
    const { fixed, compilationUnit, startLine } = RECORD_LAYOUT[layout];
    exports.describeTable(pcTables, records, quantum, funcdataBytes, isAbsolute, fixed, compilationUnit, startLine);
    const { buffer } = exports.memory;
    this.exports = exports;
    this.bytes = new Uint8Array(buffer, exports.held.value >>> 0, bytes.length);
    this.bytes.set(bytes);
    this.entries = new Uint32Array(buffer, exports.entries.value >>> 0, index.length + 1);
    this.entries.set(index.entries);
    this.records = new Uint32Array(buffer, exports.records.value >>> 0, index.length);
    this.records.set(index.records);
    names?.holdIn(new Uint8Array(buffer, exports.names.value >>> 0, names.length));
    fileOffsets?.holdIn(new Uint8Array(buffer, exports.fileOffsets.value >>> 0, fileOffsets.length));
    this.place = new Int32Array(buffer, exports.placeAddress() >>> 0, PLACE_WORDS);
  }

  get heldBytes(): number {
    return this.bytes.length + this.entries.byteLength + this.records.byteLength + this.exports.cachedBytes();
  }
}
