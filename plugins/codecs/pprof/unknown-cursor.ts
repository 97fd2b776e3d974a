/** Gives the unknown fields of one message's rows back while the rows are written in order. */
import type { UnknownFields } from '../../../core/index.js';
import type { PieceWriter } from './piece-writer.js';
import { viewOf } from './words.js';

export class UnknownCursor {
  readonly #fields: UnknownFields | undefined;
  readonly #words: DataView;
  readonly #end: number;
  #at: number;

  /** @param message one of UnknownIn */
  constructor(fields: UnknownFields | undefined, message: number) {
    this.#fields = fields;
    this.#words = viewOf(fields?.bytes ?? new Uint8Array(0));
    this.#at = fields === undefined ? 0 : firstOf(fields, message);
    this.#end = fields === undefined ? 0 : firstOf(fields, message + 1);
  }

  /** Whether there may be fields of rows that were not asked for yet. */
  get hasMore(): boolean {
    return this.#at < this.#end;
  }

  /**
   * Writes the unknown fields of `row`, which is not before the last one asked for; makes the room that they need, and no more.
   * @returns the position behind them
   */
  write(row: number, writer: PieceWriter, pos: number): number {
    const fields = this.#fields;
    let to = pos;
    if (fields === undefined) return to;
    while (this.#at < this.#end && fields.row[this.#at]! < row) this.#at++;
    for (; this.#at < this.#end && fields.row[this.#at] === row; this.#at++) {
      const start = fields.starts[this.#at]!;
      const end = fields.starts[this.#at + 1]!;
      writer.reserve(to, end - start);
      to = writer.copy(to, fields.bytes, this.#words, start, end);
    }
    return to;
  }
}

/** Index of the first entry of `message` or of a later one: entries are ordered by message. */
function firstOf(fields: UnknownFields, message: number): number {
  const at = fields.message.findIndex((of) => of >= message);
  return at < 0 ? fields.length : at;
}
