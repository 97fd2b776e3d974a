/** What readers of tables inside an executable (gopclntab, DWARF, unwind tables) need of its container, ELF or other. */

/** A range of object addresses that the file backs with bytes. */
export interface ImageRange {
  /** Section name; for a segment, how messages call it. */
  readonly name: string;
  readonly objectAddress: number;
  /** Bytes, all of them in the file. */
  readonly size: number;
  readonly executable: boolean;
}

/** Addresses are object addresses: numbers relative to `imageBase` (see core/binary/binary.ts). */
export interface ObjectImage {
  readonly imageBase: bigint;
  /** Smallest instruction, in bytes, of the machine: 1 on x86, 4 on arm64; undefined when not known. */
  readonly instructionQuantum: number | undefined;
  /** Sections that are loaded; [] where the section table is gone. */
  readonly sections: readonly ImageRange[];
  /** Loaded pieces, in order of address. */
  readonly segments: readonly ImageRange[];
  /** Bytes as the file has them: a view, at most `length`, shorter where the file-backed part ends, empty outside. */
  bytesAt(objectAddress: number, length: number): Uint8Array;
  /** The same as the loader leaves them at `imageBase`: relative relocations applied. A copy where there are any. */
  loadedBytesAt(objectAddress: number, length: number): Uint8Array;
}
