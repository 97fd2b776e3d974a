/** The lines of one unit: which file, line and column an address is from, and the paths of files. */
import { AddressRanges } from './address-ranges.js';
import { Form } from './constants.js';
import { DwarfCursor, type ImageBase } from './cursor.js';
import { currentKernel } from './kernel.js';
import { type FileEntry, type LineFiles, type PathPlace, readLineFiles } from './line-files.js';
import { type LineHeader, readLineHeader } from './line-header.js';
import { type LineRows, runLineProgram } from './line-rows.js';

export interface LinePlace {
  /** Full path; "" when not known. */
  readonly file: string;
  readonly line: number;
  readonly column: number;
}

const utf8 = new TextDecoder();

export class LineTable {
  readonly #header: LineHeader;
  readonly #files: LineFiles;
  readonly #rows: LineRows;
  /** The part up to its program, for the texts in it. */
  readonly #headerBytes: Uint8Array;
  readonly #moreFiles: readonly { readonly path: string; readonly folder: number }[];
  readonly #compilationFolder: string;
  readonly #textAt: (form: number, value: number) => string;
  /** Paths that were asked for, by number of the file. */
  readonly #paths: (string | undefined)[] = [];
  readonly #sequences = new AddressRanges();

  /**
   * @param bytes the part of `.debug_line`, from its length on
   * @param start of them, into the section
   * @param textAt text of a form that refers to another section @throws FormatError of what stands in the part
   */
  constructor(
    bytes: Uint8Array,
    start: number,
    addressBytes: 4 | 8,
    base: ImageBase,
    compilationFolder: string,
    textAt: (form: number, value: number) => string,
  ) {
    const cursor = new DwarfCursor(bytes, '.debug_line', start);
    this.#header = readLineHeader(cursor, addressBytes);
    const kernel = currentKernel();
    const part = kernel.load(bytes, { section: cursor.section, start, limit: start + bytes.length });
    this.#files = readLineFiles(kernel, part, this.#header);
    this.#rows = runLineProgram(kernel, part, cursor, this.#header, base);
    this.#headerBytes = bytes.slice(0, this.#header.programStart);
    this.#moreFiles = Array.from(this.#rows.moreFiles, (entry) => readAddedFile(cursor, entry));
    this.#compilationFolder = compilationFolder;
    this.#textAt = textAt;
    const { sequenceStarts, sequenceEnds } = this.#rows;
    for (let sequence = 0; sequence < sequenceStarts.length; sequence++) {
      this.#sequences.add(sequenceStarts[sequence]!, sequenceEnds[sequence]!, sequence);
    }
    this.#sequences.sort();
  }

  get heldBytes(): number {
    return (
      this.#headerBytes.length + this.#rows.offsets.length * 14 + this.#sequences.heldBytes + this.#files.heldBytes
    );
  }

  /** Beginnings and ends of the code that has lines. */
  *sequences(): Generator<readonly [start: number, end: number]> {
    const { sequenceStarts, sequenceEnds } = this.#rows;
    for (const [sequence, start] of sequenceStarts.entries()) yield [start, sequenceEnds[sequence]!];
  }

  /** @returns undefined where no sequence is @throws FormatError for a path that cannot be read */
  find(objectAddress: number): LinePlace | undefined {
    const row = this.#findRow(objectAddress);
    if (row < 0) return undefined;
    const { files, lines, columns } = this.#rows;
    return { file: this.path(files[row]!), line: lines[row]!, column: columns[row]! };
  }

  /** Path of a file by the number that rows and call sites have; "" for one that is not in the table. */
  path(file: number): string {
    let path = this.#paths[file];
    if (path !== undefined) return path;
    path = this.#makePath(file);
    if (file < this.#files.count + this.#moreFiles.length + 1) this.#paths[file] = path;
    return path;
  }

  /** The last row of an address counts: what stands before it has no instruction of its own. */
  #findRow(objectAddress: number): number {
    const range = this.#sequences.find(objectAddress);
    if (range < 0) return -1;
    const { sequenceRows, sequenceStarts, offsets } = this.#rows;
    const sequence = this.#sequences.owner(range);
    const offset = objectAddress - sequenceStarts[sequence]!;
    let low = sequenceRows[sequence]!;
    let high = sequenceRows[sequence + 1]!;
    while (high - low > 1) {
      const middle = (low + high) >>> 1;
      if (offsets[middle]! <= offset) low = middle;
      else high = middle;
    }
    return low;
  }

  #makePath(file: number): string {
    const first = this.#header.encoding.version === 5 ? 0 : 1;
    const index = file - first;
    const entry: FileEntry | undefined = this.#files.file(index);
    const more = this.#moreFiles[index - this.#files.count];
    if (entry === undefined && more === undefined) return '';
    const name = entry === undefined ? more!.path : this.#text(entry);
    if (isAbsolute(name)) return name;
    const folder = this.#files.folder((entry ?? more!).folder - first);
    const folderPath = folder === undefined ? '' : this.#text(folder);
    if (isAbsolute(folderPath)) return join(folderPath, name);
    return join(join(this.#compilationFolder, folderPath), name);
  }

  #text({ form, value }: PathPlace): string {
    if (form === 0) return '';
    return form === Form.string ? inlineText(this.#headerBytes, value) : this.#textAt(form, value);
  }
}

/** An entry of DW_LNE_define_file. */
function readAddedFile(cursor: DwarfCursor, at: number): { readonly path: string; readonly folder: number } {
  cursor.position = at;
  cursor.skipText();
  return { path: inlineText(cursor.bytes, at), folder: cursor.uleb() };
}

function inlineText(bytes: Uint8Array, position: number): string {
  const end = bytes.indexOf(0, position);
  return utf8.decode(bytes.subarray(position, end < 0 ? bytes.length : end));
}

function isAbsolute(path: string): boolean {
  return path.startsWith('/') || path.startsWith('\\') || /^[A-Za-z]:[\\/]/.test(path);
}

/** With the separator that the folder is written with. */
function join(folder: string, name: string): string {
  if (folder === '' || name === '') return folder + name;
  if (/[\\/]$/.test(folder)) return folder + name;
  return folder + (/^([A-Za-z]:)?\\/.test(folder) || /^[A-Za-z]:[^/]*$/.test(folder) ? '\\' : '/') + name;
}
