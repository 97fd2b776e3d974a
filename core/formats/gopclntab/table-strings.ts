/** Names and file paths of the table. Source: Go src/runtime/symtab.go funcname, funcfile; src/cmd/link/internal/ld/pcln.go. */
import { FormatError } from '../errors.js';
import type { Budget } from '../limits.js';
import type { PclntabHeader } from './header.js';
import type { LocatedTable } from './locate.js';
import { TablePartBytes } from './table-part.js';

const section = '.gopclntab';
/** Entry of a file number that has no file. */
const NO_FILE = 0xffffffff;

/** Bytes that a string is looked for in at first: nearly all fit. Then so many times as many. */
const FIRST_BYTES = 256;
const MORE = 16;
/** Strings that are kept of each kind; then they are dropped and gathered anew. */
const MAX_KEPT = 1 << 15;

const utf8 = new TextDecoder();

export class TableStrings {
  /** The part of the table that function names' offsets count from. */
  readonly names: TablePartBytes;
  readonly files: TablePartBytes;
  /** By compilation unit, one after the other: offsets into the files. */
  readonly fileOffsets: TablePartBytes;
  readonly #header: PclntabHeader;
  readonly #budget: Budget;
  /** By offset: the same names are asked for again and again. */
  readonly #keptNames = new Map<number, string>();
  readonly #keptFiles = new Map<number, string>();

  constructor({ header, read }: LocatedTable, budget: Budget) {
    this.names = new TablePartBytes(read, header.functionNames);
    this.files = new TablePartBytes(read, header.files);
    this.fileOffsets = new TablePartBytes(read, header.fileOffsets);
    this.#header = header;
    this.#budget = budget;
  }

  /** Whether all of them can be held. */
  get areWhole(): boolean {
    return [this.names, this.files, this.fileOffsets].every(({ isLarge }) => !isLarge);
  }

  get heldBytes(): number {
    return this.names.heldBytes + this.files.heldBytes + this.fileOffsets.heldBytes;
  }

  /** @throws FormatError E_GO_STRING, E_LIMIT */
  name(offset: number): string {
    return (
      this.#keptNames.get(offset) ??
      keep(this.#keptNames, offset, this.#string(this.names, offset, this.#header.functionNames[0]))
    );
  }

  /**
   * Path of a file number of a compilation unit; "" where there is none.
   * @param compilationUnit of the function's record: where its file numbers begin
   * @throws FormatError E_GO_FILE, E_GO_STRING, E_LIMIT
   */
  file(compilationUnit: number, number: number | undefined): string {
    if (number === undefined || number < this.#header.firstFile) return '';
    const row = compilationUnit + number;
    const offset = this.fileOffsets.u32(row * 4) ?? this.#refuseFile(row);
    if (offset === NO_FILE) return '';
    return (
      this.#keptFiles.get(offset) ??
      keep(this.#keptFiles, offset, this.#string(this.files, offset, this.#header.files[0]))
    );
  }

  #refuseFile(row: number): never {
    throw new FormatError('E_GO_FILE', 'file number lies behind the table of files', {
      section,
      offset: this.#header.fileOffsets[0] + row * 4,
      got: row,
      limit: Math.floor(this.fileOffsets.length / 4),
    });
  }

  #string(strings: TablePartBytes, offset: number, stringsAt: number): string {
    return strings.heldText(offset, this.#budget.limits.stringBytes) ?? this.#readString(strings, offset, stringsAt);
  }

  #readString(strings: TablePartBytes, offset: number, stringsAt: number): string {
    const most = this.#budget.limits.stringBytes + 2;
    let wanted = Math.min(FIRST_BYTES, most);
    let bytes = strings.at(offset, wanted);
    let end = bytes.indexOf(0);
    while (end < 0 && bytes.length === wanted && wanted < most) {
      wanted = Math.min(wanted * MORE, most);
      bytes = strings.at(offset, wanted);
      end = bytes.indexOf(0);
    }
    this.#budget.check('stringBytes', end < 0 ? bytes.length - 1 : end, { section, offset: stringsAt + offset });
    if (end < 0) {
      throw new FormatError('E_GO_STRING', 'string lies behind the end of its table', {
        section,
        offset: stringsAt,
        got: offset,
        limit: strings.length,
      });
    }
    return utf8.decode(bytes.subarray(0, end));
  }
}

function keep(kept: Map<number, string>, offset: number, text: string): string {
  if (kept.size === MAX_KEPT) kept.clear();
  kept.set(offset, text);
  return text;
}
