/** Bytes of one input, after decompression, as codecs read them. */

/** Something odd that was accepted: the codec or the engine shows it as a warning. */
export interface InputNote {
  readonly code: string;
  readonly message: string;
}

export interface ByteInput {
  /** How it was compressed, by its first bytes; of a stream, known once `head` or the first chunk was there. */
  readonly compression: 'none' | 'gzip' | 'zstd';
  /** The first bytes after decompression, at most 4 KiB: for telling the format. Does not consume them. */
  head(): Promise<Uint8Array>;
  /**
   * All bytes, in order, in pieces whose memory may be reused after the next pull, or given back: they are empty then. Once per input.
   * Small inputs come as one piece; a large one never stands in memory whole.
   * @throws FormatError E_GZIP_TRUNCATED, E_GZIP_CRC … with the offset in the compressed bytes; E_LIMIT
   */
  chunks(): AsyncIterable<Uint8Array>;
  /**
   * Bytes at any place, at most `length`; only for an input that is not compressed and can be read so (not for a pipe), and as good as
   * what `chunks` gives at that place.
   */
  readonly readAt?: ((offset: number, length: number) => Uint8Array) | undefined;
  /**
   * As `readAt`, into memory of the caller's, who goes on meanwhile but leaves it alone.
   * @returns bytes that were read: fewer than there is room for at the end only, where it is 0
   */
  readonly readInto?: ((offset: number, room: Uint8Array) => Promise<number>) | undefined;
  /** Opens the same bytes once more, from their beginning; absent where they cannot be read twice (a pipe). */
  readonly again?: (() => ByteInput) | undefined;
  /** All bytes in one piece, for text formats. @throws FormatError E_LIMIT when more than `maxBytes` */
  readAll(maxBytes: number): Promise<Uint8Array>;
  /** What was odd; complete when all bytes were read. */
  readonly notes: readonly InputNote[];
}

/** How bytes are read at any place, where that can be done. */
export type PlacedReads = Pick<ByteInput, 'readAt' | 'readInto'>;

/** Of bytes at hand. */
export function placedReads(bytes: Uint8Array): PlacedReads {
  return {
    readAt: (offset, length) => bytes.subarray(offset, offset + length),
    async readInto(offset, room) {
      const wanted = bytes.subarray(offset, offset + room.length);
      room.set(wanted);
      return wanted.length;
    },
  };
}
