/** Random access to the bytes of one file: how readers of object files see it, so that big files are never read whole. */
export interface ByteSource {
  /** Bytes in the file. */
  readonly size: number;
  /**
   * Exactly `length` bytes: a view that must not be written to.
   * @param part what is read, for errors: "section headers"
   * @throws FormatError E_TRUNCATED when the range does not lie within the file (nothing is allocated then), E_LIMIT, E_IO
   */
  read(fileOffset: number, length: number, part: string): Uint8Array;
}
