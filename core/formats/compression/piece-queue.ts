/** Compressed bytes as they come, with what a container needs: look at the next bytes, give some back, know the offset. */
export class PieceQueue {
  readonly #source: AsyncIterator<Uint8Array> | Iterator<Uint8Array>;
  #pushedBack: Uint8Array[] = [];
  #ended = false;
  /** Offset into the compressed input of the next byte. */
  offset = 0;

  constructor(source: AsyncIterable<Uint8Array> | Iterable<Uint8Array>) {
    this.#source = Symbol.asyncIterator in source ? source[Symbol.asyncIterator]() : source[Symbol.iterator]();
  }

  /** The next piece, never empty; undefined at the end. Its memory may be reused by the source after the next call. */
  async next(): Promise<Uint8Array | undefined> {
    let piece = this.#pushedBack.pop();
    while (piece === undefined || piece.length === 0) {
      if (this.#ended) return undefined;
      const step = await this.#source.next();
      if (step.done === true) {
        this.#ended = true;
        return undefined;
      }
      piece = step.value;
    }
    this.offset += piece.length;
    return piece;
  }

  /** Gives back bytes that `next` gave last. */
  unread(bytes: Uint8Array): void {
    if (bytes.length === 0) return;
    this.offset -= bytes.length;
    this.#pushedBack.push(bytes);
  }

  /** The next `length` bytes, or fewer at the end of the input, in one piece, without taking them. */
  async peek(length: number): Promise<Uint8Array> {
    const first = await this.next();
    if (first === undefined) return new Uint8Array(0);
    if (first.length >= length) {
      this.unread(first);
      return first.subarray(0, length);
    }
    const pieces = [new Uint8Array(first)];
    let total = first.length;
    while (total < length) {
      const more = await this.next();
      if (more === undefined) break;
      pieces.push(new Uint8Array(more));
      total += more.length;
    }
    const gathered = joinPieces(pieces, total);
    this.unread(gathered);
    return gathered.subarray(0, length);
  }

  /** Drops bytes that `peek` showed. */
  async skip(length: number): Promise<void> {
    const piece = await this.next();
    if (piece === undefined || piece.length < length) throw new RangeError('skip past what peek showed');
    this.unread(piece.subarray(length));
  }
}

export function joinPieces(pieces: readonly Uint8Array[], total: number): Uint8Array {
  const joined = new Uint8Array(total);
  let at = 0;
  for (const piece of pieces) {
    joined.set(piece, at);
    at += piece.length;
  }
  return joined;
}
