/** Names and file paths of the table. Source: Go src/runtime/symtab.go funcname, funcfile; src/cmd/link/internal/ld/pcln.go. */
import { FormatError } from '../errors.js';
import type { Budget } from '../limits.js';
import type { PclntabHeader } from './header.js';

const section = '.gopclntab';
/** Entry of a file number that has no file. */
const NO_FILE = 0xffffffff;

/** Strings that are kept of each kind; then they are dropped and gathered anew. */
const MAX_KEPT = 1 << 15;

const utf8 = new TextDecoder();

export class TableStrings {
  /** The part of the table that function names' offsets count from. */
  readonly names: Uint8Array;
  readonly #files: Uint8Array;
  /** By compilation unit, one after the other: offsets into the files. */
  readonly #fileOffsets: DataView;
  readonly #header: PclntabHeader;
  readonly #budget: Budget;
  /** By offset: the same names are asked for again and again. */
  readonly #keptNames = new Map<number, string>();
  readonly #keptFiles = new Map<number, string>();

  /** @param table all of it */
  constructor(table: Uint8Array, header: PclntabHeader, budget: Budget) {
    const { functionNames, fileOffsets, files } = header;
    this.names = table.subarray(...functionNames);
    this.#files = table.subarray(...files);
    this.#fileOffsets = new DataView(table.buffer, table.byteOffset + fileOffsets[0], fileOffsets[1] - fileOffsets[0]);
    this.#header = header;
    this.#budget = budget;
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
    const at = (compilationUnit + number) * 4;
    const { byteLength } = this.#fileOffsets;
    if (at + 4 > byteLength) {
      throw new FormatError('E_GO_FILE', 'file number lies behind the table of files', {
        section,
        offset: this.#header.fileOffsets[0] + at,
        got: compilationUnit + number,
        limit: Math.floor(byteLength / 4),
      });
    }
    const offset = this.#fileOffsets.getUint32(at, true);
    if (offset === NO_FILE) return '';
    return (
      this.#keptFiles.get(offset) ??
      keep(this.#keptFiles, offset, this.#string(this.#files, offset, this.#header.files[0]))
    );
  }

  #string(strings: Uint8Array, offset: number, stringsAt: number): string {
    const end = offset < strings.length ? strings.indexOf(0, offset) : -1;
    if (end < 0) {
      throw new FormatError('E_GO_STRING', 'string lies behind the end of its table', {
        section,
        offset: stringsAt,
        got: offset,
        limit: strings.length,
      });
    }
    this.#budget.check('stringBytes', end - offset, { section, offset: stringsAt + offset });
    return utf8.decode(strings.subarray(offset, end));
  }
}

function keep(kept: Map<number, string>, offset: number, text: string): string {
  if (kept.size === MAX_KEPT) kept.clear();
  kept.set(offset, text);
  return text;
}
