/** Where symbols come from: each kind of table is one source of a binary, asked in order. A new format is one more of them. */
import type { GoFrameRows } from '../../formats/gopclntab/table.js';
import type { Binary } from '../binary.js';

/** One source-level frame at an address. */
export interface SymbolFrame {
  /** For people: as the source writes it, demangled by option. */
  readonly function: string;
  /** The linker's name, mangled where the language does that; the same as `function` where there is none. */
  readonly systemName: string;
  /** Full path as the compiler wrote it; "" when not known. */
  readonly file: string;
  /** 0 when not known. */
  readonly line: number;
  /** In bytes from 1; 0 when not known. */
  readonly column: number;
  /** Line of the function's declaration; 0 when not known. */
  readonly startLine: number;
}

/** Frames of many addresses, as a Go table has them. */
export type FrameRows = GoFrameRows;

/** What the frames of a source have besides a function's name. */
export type SymbolDetail = 'lines' | 'columns' | 'inlines' | 'start_lines';

/** The symbols of one binary from one kind of table. */
export interface SymbolSource {
  /** As reports call it: "gopclntab", "dwarf", "symtab", "dynsym" … */
  readonly name: string;
  readonly gives: ReadonlySet<SymbolDetail>;
  /**
   * Frames at an exact object address, innermost first.
   * @returns [] where the source knows that no function is there (padding); undefined where it does not know the address
   * @throws FormatError when its tables are spoilt there; other addresses may still be answered
   */
  framesAt(objectAddress: number): readonly SymbolFrame[] | undefined;
  /**
   * `framesAt` of many addresses, as far as that is quick: their function is also the linker's name, and their column 0.
   * @returns undefined of a source that has no rows
   */
  rowsAt?(objectAddresses: Float64Array): FrameRows | undefined;
  /** What is spoilt or missing of its tables and done without, as far as addresses led there. For a person, each once. */
  readonly faults: readonly string[];
}

/** @returns none when the binary has no such table @throws FormatError for a spoilt one */
export type SourceOpener = (binary: Binary) => readonly SymbolSource[];
