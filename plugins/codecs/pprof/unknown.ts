/** Fields that this program does not know, kept byte for byte: tag and payload, by message and row. */
import type { UnknownFields } from '../../../core/index.js';
import { ByteColumn, grownCapacity, IntegerColumn } from './columns.js';
import type { WireReader } from './wire-reader.js';
import { viewOf } from './words.js';

/** Fields of one message that come one after another share an entry. */
class Entries {
  length = 0;
  readonly bytes = new ByteColumn();
  readonly #message = new ByteColumn();
  readonly #row = new IntegerColumn();
  readonly #start = new IntegerColumn();
  #capacity = 0;

  add(message: number, row: number, source: Uint8Array, words: DataView, start: number, end: number): void {
    const last = this.length - 1;
    if (last < 0 || this.#message.data[last] !== message || this.#row.data[last] !== row) this.#begin(message, row);
    this.bytes.append(source, words, start, end);
  }

  #begin(message: number, row: number): void {
    const entry = this.length;
    if (entry >= this.#capacity) {
      this.#capacity = grownCapacity(this.#capacity, entry + 1);
      this.#message.reserve(this.#capacity, entry);
      this.#row.reserve(this.#capacity, entry);
      this.#start.reserve(this.#capacity + 1, entry);
    }
    this.length++;
    this.#message.data[entry] = message;
    this.#row.data[entry] = row;
    this.#start.data[entry] = this.bytes.length;
  }

  finish(): UnknownFields | undefined {
    const { length } = this;
    if (length === 0) return undefined;
    this.length = 0;
    this.#capacity = 0;
    this.#start.data[length] = this.bytes.length;
    return {
      length,
      message: this.#message.finish(length),
      row: this.#row.finish(length),
      starts: this.#start.finish(length + 1),
      bytes: this.bytes.finish(this.bytes.length),
    };
  }
}

export class UnknownCollector {
  /** Number of fields. */
  length = 0;
  readonly #entries = new Entries();
  /** Where the last field came from, and its view: fields come by the million from few pieces. */
  #source: Uint8Array | undefined;
  #words: DataView | undefined;

  /**
   * A field of a message's row, from its tag at `start` to where it ends.
   * @param known names of the message's fields by number
   * @returns its end @throws FormatError when it is malformed, or a known field of a wrong wire type
   */
  take(reader: WireReader, start: number, message: number, row: number, known: readonly string[]): number {
    reader.pos = start;
    reader.skipField(reader.next(), known);
    this.add(message, row, reader.buf, start, reader.pos);
    return reader.pos;
  }

  /** @param message one of UnknownIn; the field is `bytes[start, end)`, copied */
  add(message: number, row: number, bytes: Uint8Array, start: number, end: number): void {
    if (bytes !== this.#source || this.#words === undefined) {
      this.#source = bytes;
      this.#words = viewOf(bytes);
    }
    this.#entries.add(message, row, bytes, this.#words, start, end);
    this.length++;
  }

  /** By message and row; the fields of one message in one entry, in the order in which they came. */
  finish(): UnknownFields | undefined {
    this.length = 0;
    this.#source = undefined;
    this.#words = undefined;
    const fields = this.#entries.finish();
    if (fields === undefined) return undefined;
    const { length, message, row, starts, bytes } = fields;
    const order = Uint32Array.from({ length }, (_, i) => i).sort(
      (a, b) => message[a]! - message[b]! || row[a]! - row[b]! || a - b,
    );
    const words = viewOf(bytes);
    for (const entry of order) {
      this.#entries.add(message[entry]!, row[entry]!, bytes, words, starts[entry]!, starts[entry + 1]!);
    }
    return this.#entries.finish();
  }
}
