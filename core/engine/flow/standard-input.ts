/** Standard input as an input of a run. Only the main thread can read it. */
import { UsageError } from '../contract/errors.js';
import type { SourceItem } from '../contract/plugin.js';

/** A stream up to this size can be read again: its dead letter has the bytes. */
const KEPT_BYTES = 8 * 2 ** 20;

/** @param asked what in the pipeline asks for it, for the message @throws UsageError for a terminal */
export function refuseTerminal(asked: string): void {
  if (!process.stdin.isTTY) return;
  throw new UsageError('stdin-is-terminal', `${asked}: standard input is a terminal; pipe a profile into it`);
}

/** Once in a process: nothing is read before the item is. */
export function standardInput(name: string): SourceItem {
  return { uri: '-', name, data: { stream: new KeptStream(process.stdin, KEPT_BYTES) } };
}

/** Pieces as they come, and again as long as they were few. */
export class KeptStream implements AsyncIterable<Uint8Array> {
  readonly #pieces: AsyncIterable<Uint8Array>;
  readonly #keptBytes: number;
  /** Undefined when they were too many, or the reading ended before they did. */
  #kept: Uint8Array[] | undefined = [];
  #hasBegun = false;

  constructor(pieces: AsyncIterable<Uint8Array>, keptBytes: number) {
    this.#pieces = pieces;
    this.#keptBytes = keptBytes;
  }

  /** @throws Error the second time, unless all is kept */
  async *[Symbol.asyncIterator](): AsyncGenerator<Uint8Array> {
    if (!this.#hasBegun) yield* this.#readFirst();
    else if (this.#kept === undefined) throw new Error('a stream can be read once');
    else yield* this.#kept;
  }

  async *#readFirst(): AsyncGenerator<Uint8Array> {
    this.#hasBegun = true;
    let size = 0;
    let isWhole = false;
    try {
      for await (const piece of this.#pieces) {
        size += piece.length;
        if (size > this.#keptBytes) this.#kept = undefined;
        this.#kept?.push(piece);
        yield piece;
      }
      isWhole = true;
    } finally {
      if (!isWhole) this.#kept = undefined;
    }
  }
}
