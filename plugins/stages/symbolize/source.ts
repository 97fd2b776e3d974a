/** Where symbols come from: each kind of table is one source, asked in order. A new format is one more of them. */
import type { Binary } from '../../../core/index.js';

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
export const openGoSource: SourceOpener = ({ go }) =>
  go && {
    name: 'gopclntab',
    framesAt: (objectAddress) => (go.find(objectAddress) < 0 ? undefined : go.frames(objectAddress)),
  };
