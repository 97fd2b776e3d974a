/** Go's function table of one executable: composes the parts of this folder into a `GoTable`. */
import { FormatError } from '../errors.js';
import type { ObjectImage } from '../image.js';
import { Budget } from '../limits.js';
import { type FunctionIndex, findFunction, readFunctionIndex } from './function-index.js';
import { FunctionRecord } from './function-record.js';
import { findGofunc, type TrialTree } from './gofunc.js';
import type { PclntabHeader } from './header.js';
import type { InlinedCall } from './inline-tree.js';
import { InlineTrees } from './inline-trees.js';
import { type LocatedTable, locatePclntab } from './locate.js';
import { findModuledata, type Moduledata } from './moduledata.js';
import { PcTables } from './pc-tables.js';
import { PcValues } from './pc-value.js';
import { type GoFrame, type GoTable, PcData, type StackDeltas, type StackExtent } from './table.js';
import { TableStrings } from './table-strings.js';

const section = '.gopclntab';
/** Number of the funcdata word of the inline tree. Source: internal/abi/symtab.go FUNCDATA_InlTree. */
const FUNCDATA_INLINE_TREE = 3;
/** Trees that gofunc is tried with. */
const TRIAL_TREES = 64;

/**
 * @returns undefined for a file without Go's table
 * @throws FormatError of the parts; E_GO_MODULEDATA when nothing says where the text begins (1.26 … without moduledata)
 */
export function openGoTable(image: ObjectImage, budget: Budget = new Budget()): GoTable | undefined {
  const located = locatePclntab(image, budget);
  if (located === undefined) return undefined;
  const { header, bytes, objectAddress } = located;
  const index = readFunctionIndex(bytes, header);
  const moduledata =
    header.layout === '1.16' ? undefined : findModuledata(image, objectAddress, index, header, budget.limits);
  const text = textAddress(image, header, index, moduledata);
  return new PclnTable(image, located, index, text, moduledata, budget);
}

/** What entries count from, as object address. */
function textAddress(
  image: ObjectImage,
  header: PclntabHeader,
  index: FunctionIndex,
  moduledata: Moduledata | undefined,
): number {
  const absolute = index.firstAddress ?? header.textStart;
  const text = moduledata?.text ?? (absolute === undefined ? undefined : Number(absolute - image.imageBase));
  if (text === undefined) {
    throw new FormatError('E_GO_MODULEDATA', 'no moduledata says where the text begins', { section });
  }
  const first = text + index.entries[0]!;
  const end = text + index.entries[index.length]!;
  const holds = image.segments.some(
    ({ executable, objectAddress, size }) => executable && first >= objectAddress && end <= objectAddress + size,
  );
  if (!holds) {
    throw new FormatError('E_GO_TEXT', 'functions do not lie in a segment of code', {
      section,
      got: `0x${first.toString(16)} … 0x${end.toString(16)}`,
    });
  }
  return text;
}

class PclnTable implements GoTable {
  readonly layout: GoTable['layout'];
  readonly length: number;
  readonly textStart: number;
  readonly textEnd: number;
  readonly #image: ObjectImage;
  readonly #bytes: Uint8Array;
  readonly #view: DataView;
  readonly #header: PclntabHeader;
  readonly #index: FunctionIndex;
  readonly #strings: TableStrings;
  readonly #pcTables: PcTables;
  readonly #trees: InlineTrees;
  readonly #moduledata: Moduledata | undefined;
  readonly #budget: Budget;
  /** Object address; null: looked for and not found. */
  #gofunc: number | null | undefined;

  constructor(
    image: ObjectImage,
    { bytes, header, objectAddress }: LocatedTable,
    index: FunctionIndex,
    text: number,
    moduledata: Moduledata | undefined,
    budget: Budget,
  ) {
    this.layout = header.layout;
    this.length = index.length;
    this.textStart = text;
    this.textEnd = text + index.entries[index.length]!;
    this.#image = image;
    this.#bytes = bytes;
    this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    this.#header = header;
    this.#index = index;
    this.#strings = new TableStrings(bytes, header, budget);
    this.#pcTables = new PcTables(bytes, header.quantum);
    this.#trees = new InlineTrees(image, objectAddress, this.#view, header.layout, this.#strings.names);
    this.#moduledata = moduledata;
    this.#budget = budget;
  }

  get heldBytes(): number {
    const { entries, records } = this.#index;
    const read = this.#bytes.byteLength + entries.byteLength + records.byteLength;
    return read + this.#pcTables.heldBytes + this.#trees.heldBytes;
  }

  find(pc: number): number {
    return findFunction(this.#index, pc - this.textStart);
  }

  entry(index: number): number {
    return this.textStart + this.#relativeEntry(index);
  }

  end(index: number): number {
    const values = this.#values(index, this.#record(index).pcln);
    while (values?.next());
    return this.entry(index) + (values?.end ?? 0);
  }

  name(index: number): string {
    return this.#strings.name(this.#record(index).nameOffset);
  }

  startLine(index: number): number {
    return this.#record(index).startLine;
  }

  flags(index: number): number {
    return this.#record(index).flags;
  }

  frames(pc: number): GoFrame[] {
    const index = this.find(pc);
    if (index < 0) return [];
    const record = this.#record(index);
    const frames: GoFrame[] = [];
    let at = pc - this.entry(index);
    let line = this.#valueAt(index, record.pcln, at);
    if (line === undefined) return [];
    for (;;) {
      const file = this.#strings.file(record.compilationUnit, this.#valueAt(index, record.pcfile, at));
      const call = this.#inlinedCall(index, record, at);
      frames.push({
        function: this.#strings.name(call?.nameOffset ?? record.nameOffset),
        file,
        line: file === '' ? 0 : Math.max(0, line ?? 0),
        startLine: call?.startLine ?? record.startLine,
        inlined: call !== undefined,
      });
      if (call === undefined) return frames;
      this.#budget.check('inlineDepth', frames.length, { section });
      at = call.parentPc;
      line = this.#valueAt(index, record.pcln, at);
    }
  }

  pcdata(index: number, table: number, pc: number): number {
    return this.#valueAt(index, this.#record(index).pcdata(table), pc - this.entry(index)) ?? -1;
  }

  stackDelta(index: number, pc: number): number | undefined {
    return this.#valueAt(index, this.#record(index).pcsp, pc - this.entry(index));
  }

  stackDeltas(index: number): StackDeltas | undefined {
    const values = this.#values(index, this.#record(index).pcsp);
    if (values === undefined) return undefined;
    const ends: number[] = [];
    const deltas: number[] = [];
    while (values.next()) {
      ends.push(values.end);
      deltas.push(values.value);
    }
    return { ends: Uint32Array.from(ends), deltas: Int32Array.from(deltas) };
  }

  stackExtent(index: number): StackExtent | undefined {
    const values = this.#values(index, this.#record(index).pcsp);
    if (values === undefined) return undefined;
    let largestDelta = 0;
    while (values.next()) largestDelta = Math.max(largestDelta, values.value);
    return { codeBytes: values.end, largestDelta };
  }

  #relativeEntry(index: number): number {
    const entry = this.#index.entries[index];
    if (entry === undefined || index >= this.length) throw new RangeError(`function ${index} of ${this.length}`);
    return entry;
  }

  /** Bytes to the next function, padding included. */
  #codeBytes(index: number): number {
    return this.#index.entries[index + 1]! - this.#relativeEntry(index);
  }

  #record(index: number): FunctionRecord {
    const record = this.#index.records[index];
    if (record === undefined) throw new RangeError(`function ${index} of ${this.length}`);
    return new FunctionRecord(this.#view, this.#header.functions + record, this.#header.layout);
  }

  /** @param offset of the table; 0: there is none */
  #values(index: number, offset: number): PcValues | undefined {
    if (offset === 0) return undefined;
    const { pcTables, quantum } = this.#header;
    return new PcValues(this.#bytes, pcTables + offset, quantum, this.#codeBytes(index));
  }

  /** @param at bytes from the function's entry @returns undefined without a table and behind its end */
  #valueAt(index: number, offset: number, at: number): number | undefined {
    if (offset === 0) return undefined;
    return this.#pcTables.valueAt(this.#header.pcTables + offset, this.#codeBytes(index), at);
  }

  /** The innermost call that was inlined at a place, undefined where none was. @param at bytes from the function's entry */
  #inlinedCall(index: number, record: FunctionRecord, at: number): InlinedCall | undefined {
    const tree = record.funcdata(FUNCDATA_INLINE_TREE);
    if (tree === undefined) return undefined;
    const row = this.#valueAt(index, record.pcdata(PcData.inlineTreeIndex), at);
    if (row === undefined || row < 0) return undefined;
    return this.#trees.call(this.#funcdataAddress(tree), row, this.#codeBytes(index));
  }

  #funcdataAddress(word: bigint): number {
    if (this.#header.layout === '1.16') return Number(word - this.#image.imageBase);
    this.#gofunc ??= this.#findGofunc() ?? null;
    if (this.#gofunc === null) {
      throw new FormatError('E_GO_GOFUNC', 'no word of moduledata fits the inline trees', { section });
    }
    return this.#gofunc + Number(word);
  }

  #findGofunc(): number | undefined {
    if (this.#moduledata === undefined) return undefined;
    const trees: TrialTree[] = [];
    for (let index = 0; index < this.length && trees.length < TRIAL_TREES; index++) {
      const tree = this.#record(index).funcdata(FUNCDATA_INLINE_TREE);
      if (tree !== undefined) trees.push({ offset: Number(tree), codeBytes: this.#codeBytes(index) });
    }
    return findGofunc(this.#image, this.#moduledata, this.#header.layout, this.#strings.names, trees);
  }
}
