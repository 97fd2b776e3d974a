/** Where symbols come from: each kind of table is one source, asked in order. A new format is one more of them. */
import { type Binary, FormatError } from '../../../core/index.js';

/** One source-level frame at an address. */
export interface SymbolFrame {
  readonly function: string;
  /** Full path as the compiler wrote it; "" when not known. */
  readonly file: string;
  readonly line: number;
  /** 0 when not known. */
  readonly startLine: number;
}

/** The symbols of one binary. */
export interface SymbolSource {
  /** As the report calls it: "gopclntab". */
  readonly name: string;
  /**
   * Frames at an exact object address, innermost first.
   * @returns [] where the source says that there is code of no function (padding); undefined where it does not know the address
   * @throws FormatError when its tables are spoilt there
   */
  framesAt(objectAddress: number): readonly SymbolFrame[] | undefined;
}

/** @returns undefined when the binary has no such table @throws FormatError for a spoilt one */
export type SourceOpener = (binary: Binary) => SymbolSource | undefined;

/** Go's own table: in every Go binary, stripped or not. */
const openGoSource: SourceOpener = ({ go }) =>
  go && {
    name: 'gopclntab',
    framesAt: (objectAddress) => (go.find(objectAddress) < 0 ? undefined : go.frames(objectAddress)),
  };

/** In the order in which they are asked: the most exact first. */
const openers: readonly SourceOpener[] = [openGoSource];

export type Lookup =
  | { readonly frames: readonly SymbolFrame[]; readonly source: string }
  | {
      readonly frames: undefined;
      /** "no_symbols", "no_function", "padding", "spoilt_table". */
      readonly reason: string;
      /** Of a spoilt table. */
      readonly error?: FormatError;
    };

/** All sources of one binary as one. */
export class SymbolChain {
  readonly #sources: SymbolSource[] = [];
  #spoilt: FormatError | undefined;

  constructor(binary: Binary) {
    for (const open of openers) {
      try {
        const source = open(binary);
        if (source !== undefined) this.#sources.push(source);
      } catch (error) {
        this.#spoilt ??= formatError(error);
      }
    }
  }

  /** What the first source that knows the address says; a spoilt table passes it on to the next source. */
  lookup(objectAddress: number): Lookup {
    let spoilt = this.#spoilt;
    for (const source of this.#sources) {
      try {
        const frames = source.framesAt(objectAddress);
        if (frames === undefined) continue;
        if (frames.length === 0) return { frames: undefined, reason: 'padding' };
        return { frames, source: source.name };
      } catch (error) {
        spoilt ??= formatError(error);
      }
    }
    if (spoilt !== undefined) return { frames: undefined, reason: 'spoilt_table', error: spoilt };
    return { frames: undefined, reason: this.#sources.length === 0 ? 'no_symbols' : 'no_function' };
  }
}

function formatError(error: unknown): FormatError {
  if (error instanceof FormatError) return error;
  throw error;
}
