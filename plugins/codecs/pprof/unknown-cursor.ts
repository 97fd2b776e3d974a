/** Gives the unknown fields of one message's rows back while the rows are written in order. */
import type { UnknownFields } from '../../../core/index.js';
import type { PieceWriter } from './piece-writer.js';
import { viewOf } from './words.js';

export class UnknownCursor {
  readonly #fields: UnknownFields | undefined;
  readonly #words: DataView;
  #at = 0;
  readonly #end: number;

  /** @param message one of UnknownIn */
  constructor(fields: UnknownFields | undefined, message: number) {
    this.#fields = fields;
    this.#words = fields === undefined ? new DataView(new ArrayBuffer(0)) : viewOf(fields.bytes);
    this.#at = fields === undefined ? 0 : firstOf(fields, message);
    this.#end = fields === undefined ? 0 : firstOf(fields, message + 1);
  }

  /** Writes the unknown fields of `row`, which is not before the last one asked for; makes the room that it needs. */
  write(row: number, writer: PieceWriter): void {
    const fields = this.#fields;
    if (fields === undefined) return;
    while (this.#at < this.#end && fields.row[this.#at]! < row) this.#at++;
    for (; this.#at < this.#end && fields.row[this.#at] === row; this.#at++) {
      const start = fields.starts[this.#at]!;
      const end = fields.starts[this.#at + 1]!;
      writer.reserve(end - start);
      writer.bytes(fields.bytes, this.#words, start, end);
    }
  }
}

/** Index of the first entry of `message` or of a later one: entries are ordered by message. */
function firstOf(fields: UnknownFields, message: number): number {
  const at = fields.message.findIndex((of) => of >= message);
  return at < 0 ? fields.length : at;
}
