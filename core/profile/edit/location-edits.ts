/** New lines for locations of a profile, locations split in two, and new ones. */
import { rowColumn, signedColumn } from '../columns.js';
import { extendIds } from '../ids.js';
import { int64 } from '../int64.js';
import { type LineTable, type LocationTable, NO_ROW } from '../profile.js';
import { requireRow } from '../rows.js';
import { absentIfZero } from './pick.js';

export interface NewLine {
  /** Function row. */
  readonly function: number;
  readonly line: number | bigint;
  /** Default: 0 (not known). */
  readonly column?: number | bigint;
}

/** A location behind those of the base. */
interface AddedLocation {
  /** Row of the base that it copies; NO_ROW for a new one, whose lines are always in the edits. */
  readonly origin: number;
  readonly mapping: number;
  readonly address: bigint;
  readonly isFolded: number;
}

export interface EditedLocations {
  readonly table: LocationTable;
  /** New rows of a line of the base: none when it was replaced, several when its location was split. */
  lineRows(baseRow: number): readonly number[];
  /** Locations that were split off one of the base. */
  copiesOf(locationRow: number): readonly number[];
}

export class LocationEdits {
  readonly #base: LocationTable;
  readonly #lines = new Map<number, readonly NewLine[]>();
  /** Location `base.length + i`. */
  readonly #added: AddedLocation[] = [];

  constructor(base: LocationTable) {
    this.#base = base;
  }

  get length(): number {
    return this.#base.length + this.#added.length;
  }

  get changed(): boolean {
    return this.#lines.size > 0 || this.#added.length > 0;
  }

  linesOf(row: number): NewLine[] {
    requireRow('location', row, this.length);
    const edited = this.#lines.get(row);
    if (edited !== undefined) return [...edited];
    const { lineStart, lines } = this.#base;
    const origin = this.#origin(row);
    const found: NewLine[] = [];
    for (let line = lineStart[origin]!; line < lineStart[origin + 1]!; line++) {
      const column = lines.column?.[line] ?? 0n;
      found.push({ function: lines.function[line]!, line: lines.line[line]!, ...(column === 0n ? {} : { column }) });
    }
    return found;
  }

  setLines(row: number, lines: readonly NewLine[]): void {
    requireRow('location', row, this.length);
    this.#lines.set(row, [...lines]);
  }

  split(row: number): number {
    requireRow('location', row, this.length);
    const copy = this.length;
    const { mapping, address, isFolded } = this.#base;
    const added = this.#added[row - this.#base.length];
    this.#added.push(
      added ?? { origin: row, mapping: mapping[row]!, address: address[row]!, isFolded: isFolded[row]! },
    );
    const edited = this.#lines.get(row);
    if (edited !== undefined) this.#lines.set(copy, edited);
    return copy;
  }

  add(mapping: number, address: bigint, lines: readonly NewLine[]): number {
    const row = this.length;
    this.#added.push({ origin: NO_ROW, mapping, address, isFolded: 0 });
    this.#lines.set(row, [...lines]);
    return row;
  }

  finish(): EditedLocations {
    const base = this.#base;
    const copies = new Map<number, number[]>();
    this.#added.forEach(({ origin }, index) => {
      const rows = copies.get(origin);
      if (rows === undefined) copies.set(origin, [base.length + index]);
      else rows.push(base.length + index);
    });
    const copiesOf = (row: number) => copies.get(row) ?? [];
    if (!this.changed) return { table: base, lineRows: (row) => [row], copiesOf };

    const { lineStart, lines } = this.#newLines();
    const table: LocationTable = { ...this.#withAdded(), lineStart, lines };
    const lineRows = (baseRow: number): number[] => {
      const location = locationOfLine(base.lineStart, baseRow);
      const kept = [location, ...copiesOf(location)].filter((row) => !this.#lines.has(row));
      return kept.map((row) => lineStart[row]! + baseRow - base.lineStart[location]!);
    };
    return { table, lineRows, copiesOf };
  }

  #withAdded(): LocationTable {
    const base = this.#base;
    if (this.#added.length === 0) return base;
    const mapping = new Uint32Array(this.length);
    const address = new BigUint64Array(this.length);
    const isFolded = new Uint8Array(this.length);
    mapping.set(base.mapping);
    address.set(base.address);
    isFolded.set(base.isFolded);
    this.#added.forEach((added, index) => {
      mapping[base.length + index] = added.mapping;
      address[base.length + index] = added.address;
      isFolded[base.length + index] = added.isFolded;
    });
    return { ...base, length: this.length, id: extendIds(base.id, this.length), mapping, address, isFolded };
  }

  #newLines(): { lineStart: Uint32Array; lines: LineTable } {
    const base = this.#base;
    const lineStart = new Uint32Array(this.length + 1);
    const table = new LineColumns(base.lines);
    /** Lines of the base before this one are copied, or replaced. */
    let done = 0;
    for (let row = 0; row < base.length; row++) {
      const edited = this.#lines.get(row);
      const end = base.lineStart[row + 1]!;
      if (edited !== undefined) {
        table.copy(done, base.lineStart[row]!);
        table.push(edited);
        done = end;
      }
      lineStart[row + 1] = table.length + end - done;
    }
    table.copy(done, base.lineStart[base.length]!);
    for (let row = base.length; row < this.length; row++) {
      const edited = this.#lines.get(row);
      const origin = this.#origin(row);
      if (edited === undefined) table.copy(base.lineStart[origin]!, base.lineStart[origin + 1]!);
      else table.push(edited);
      lineStart[row + 1] = table.length;
    }
    return { lineStart, lines: table.finish() };
  }

  #origin(row: number): number {
    return row < this.#base.length ? row : this.#added[row - this.#base.length]!.origin;
  }
}

/** A line table that takes runs of another one, and new lines. */
class LineColumns {
  readonly #source: LineTable;
  readonly #function = rowColumn();
  readonly #line = signedColumn();
  readonly #column = signedColumn();

  constructor(source: LineTable) {
    this.#source = source;
  }

  get length(): number {
    return this.#function.length;
  }

  /** Lines `[start, end)` of the source. */
  copy(start: number, end: number): void {
    const { column } = this.#source;
    this.#function.append(this.#source.function, start, end);
    this.#line.append(this.#source.line, start, end);
    if (column !== undefined) this.#column.append(column, start, end);
    else for (let line = start; line < end; line++) this.#column.push(0n);
  }

  push(lines: readonly NewLine[]): void {
    for (const each of lines) {
      this.#function.push(each.function);
      this.#line.push(int64(each.line));
      this.#column.push(int64(each.column ?? 0));
    }
  }

  finish(): LineTable {
    return {
      length: this.length,
      function: this.#function.finish(),
      line: this.#line.finish(),
      column: absentIfZero(this.#column.finish()),
    };
  }
}

/** The location whose lines hold a line row. */
function locationOfLine(lineStart: Uint32Array, line: number): number {
  let low = 0;
  let high = lineStart.length - 1;
  while (high - low > 1) {
    const middle = (low + high) >>> 1;
    if (lineStart[middle]! <= line) low = middle;
    else high = middle;
  }
  return low;
}
