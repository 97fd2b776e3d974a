/** Go's function table of one executable: composes the parts of this folder into a `GoTable`. */
import { FormatError } from '../errors.js';
import type { ObjectImage } from '../image.js';
import { Budget } from '../limits.js';
import { tellEarlyLayout } from './early-layout.js';
import { type FunctionIndex, readFunctionIndex } from './function-index.js';
import { Functions } from './functions.js';
import { hasAbsoluteEntries, type PclntabHeader } from './header.js';
import { InlinedCalls } from './inlined-calls.js';
import { PlaceWord } from './kernel.js';
import { MAX_PLACES } from './kernel-codes.js';
import { type LocatedTable, locatePclntab } from './locate.js';
import { findModuledata, type Moduledata } from './moduledata.js';
import type { GoFrame, GoFrameRows, GoTable, StackDeltas, StackExtent } from './table.js';
import { TableStrings } from './table-strings.js';

const section = '.gopclntab';

/**
 * @returns undefined for a file without Go's table
 * @throws FormatError of the parts; E_GO_MODULEDATA when nothing says where the text begins (1.26 … without moduledata)
 */
export function openGoTable(image: ObjectImage, budget: Budget = new Budget()): GoTable | undefined {
  const located = locatePclntab(image, budget);
  if (located === undefined) return undefined;
  const { bytes, objectAddress } = located;
  const index = readFunctionIndex(bytes, located.header);
  const layout =
    located.header.layout === '1.2' ? tellEarlyLayout(bytes, located.header, index) : located.header.layout;
  const header = { ...located.header, layout };
  const moduledata = hasAbsoluteEntries(header.layout)
    ? undefined
    : findModuledata(image, objectAddress, index, header, budget.limits);
  const text = textAddress(image, header, index, moduledata);
  return new PclnTable(image, { ...located, header }, index, text, moduledata, budget);
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
  readonly #functions: Functions;
  readonly #strings: TableStrings;
  readonly #inlinedCalls: InlinedCalls;
  readonly #budget: Budget;
  /** Whether all that frames are looked up in is held. */
  readonly #hasRows: boolean;

  constructor(
    image: ObjectImage,
    located: LocatedTable,
    index: FunctionIndex,
    text: number,
    moduledata: Moduledata | undefined,
    budget: Budget,
  ) {
    const { bytes, header } = located;
    this.layout = header.layout;
    this.length = index.length;
    this.textStart = text;
    this.textEnd = text + index.entries[index.length]!;
    this.#strings = new TableStrings(located, budget);
    this.#hasRows = header.layout === '1.20' && this.#strings.areWhole;
    this.#functions = new Functions(bytes, header, index, this.#hasRows ? this.#strings : undefined);
    this.#inlinedCalls = new InlinedCalls(image, located, this.#functions, this.#strings.names, moduledata);
    this.#budget = budget;
  }

  get hasInlinedCalls(): boolean {
    return this.#inlinedCalls.areKnown;
  }

  get heldBytes(): number {
    return this.#strings.heldBytes + this.#functions.heldBytes + this.#inlinedCalls.heldBytes;
  }

  find(pc: number): number {
    return this.#functions.find(pc - this.textStart);
  }

  entry(index: number): number {
    return this.textStart + this.#functions.relativeEntry(index);
  }

  end(index: number): number {
    const values = this.#functions.values(index, this.#functions.record(index).pcln);
    while (values?.next());
    return this.entry(index) + (values?.end ?? 0);
  }

  name(index: number): string {
    return this.#strings.name(this.#functions.record(index).nameOffset);
  }

  startLine(index: number): number {
    return this.#functions.record(index).startLine;
  }

  flags(index: number): number {
    return this.#functions.record(index).flags;
  }

  frames(pc: number): GoFrame[] {
    if (this.layout === '1.2') return this.#earlyFrames(pc);
    const place = this.#functions.placeAt(pc - this.textStart);
    const frames: GoFrame[] = [];
    if (place === undefined) return frames;
    const unit = place[PlaceWord.compilationUnit]! >>> 0;
    for (;;) {
      const file = this.#strings.file(unit, place[PlaceWord.file]!);
      const call = this.#inlinedCalls.innermost(place);
      frames.push({
        function: this.#strings.name(call?.nameOffset ?? place[PlaceWord.nameOffset]! >>> 0),
        file,
        line: lineIn(file, place[PlaceWord.line]!),
        startLine: call?.startLine ?? place[PlaceWord.startLine]!,
        inlined: call !== undefined,
      });
      if (call === undefined) return frames;
      this.#budget.check('inlineDepth', frames.length, { section });
      this.#functions.movePlace(call.parentPc);
    }
  }

  frameRows(pcs: Float64Array): GoFrameRows | undefined {
    if (!this.#hasRows) return undefined;
    this.#inlinedCalls.useTrees();
    const relatives = pcs.slice(0, MAX_PLACES).map((pc) => pc - this.textStart);
    const { counts, rows } = this.#functions.frameRows(relatives, this.#budget.limits.inlineDepth);
    return { counts, rows, names: this.#strings.names.whole, files: this.#strings.files.whole };
  }

  /** `frames`, by the places that the rows of the tree have themselves. */
  #earlyFrames(pc: number): GoFrame[] {
    const index = this.find(pc);
    if (index < 0) return [];
    const record = this.#functions.record(index);
    const at = pc - this.entry(index);
    const lineAtPc = this.#functions.valueAt(index, record.pcln, at);
    if (lineAtPc === undefined) return [];
    const calls = this.#inlinedCalls.earlyCalls(index, record, at);
    this.#budget.check('inlineDepth', calls.length, { section });
    let file = this.#strings.file(0, this.#functions.valueAt(index, record.pcfile, at));
    let line: number = lineAtPc;
    const frameOf = (nameOffset: number, inlined: boolean) => ({
      function: this.#strings.name(nameOffset),
      file,
      line: lineIn(file, line),
      startLine: 0,
      inlined,
    });
    const frames: GoFrame[] = calls.map((call) => {
      const frame = frameOf(call.nameOffset, true);
      file = this.#strings.file(0, call.fileNumber);
      line = call.line;
      return frame;
    });
    return [...frames, frameOf(record.nameOffset, false)];
  }

  pcdata(index: number, table: number, pc: number): number {
    return this.#functions.valueAt(index, this.#functions.record(index).pcdata(table), pc - this.entry(index)) ?? -1;
  }

  stackDelta(index: number, pc: number): number | undefined {
    return this.#functions.valueAt(index, this.#functions.record(index).pcsp, pc - this.entry(index));
  }

  stackDeltas(index: number): StackDeltas | undefined {
    const values = this.#functions.values(index, this.#functions.record(index).pcsp);
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
    const values = this.#functions.values(index, this.#functions.record(index).pcsp);
    if (values === undefined) return undefined;
    let largestDelta = 0;
    while (values.next()) largestDelta = Math.max(largestDelta, values.value);
    return { codeBytes: values.end, largestDelta };
  }
}

/** Without a file there is no line either. */
function lineIn(file: string, line: number): number {
  return file === '' ? 0 : Math.max(0, line);
}
