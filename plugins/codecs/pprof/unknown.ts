/** Fields that this program does not know, kept byte for byte: tag and payload, by message and row. */
import type { UnknownFields } from '../../../core/index.js';
import { ByteColumn, IntegerColumn } from './columns.js';
import { viewOf } from './words.js';

export class UnknownCollector {
  readonly #message = new ByteColumn();
  readonly #row = new IntegerColumn();
  readonly #start = new IntegerColumn();
  readonly #bytes = new ByteColumn();
  /** Number of fields. Those of one message that come one after another share an entry. */
  length = 0;
  /** Where the last field came from, and its view: fields come by the million from few pieces. */
  #source: Uint8Array | undefined;
  #words: DataView | undefined;

  /** @param message one of UnknownIn; the field is `bytes[start, end)`, copied */
  add(message: number, row: number, bytes: Uint8Array, start: number, end: number): void {
    const last = this.#message.length - 1;
    if (last < 0 || this.#message.data[last] !== message || this.#row.data[last] !== row) {
      this.#message.push(message);
      this.#row.push(row);
      this.#start.push(this.#bytes.length);
    }
    if (bytes !== this.#source || this.#words === undefined) {
      this.#source = bytes;
      this.#words = viewOf(bytes);
    }
    this.#bytes.append(bytes, this.#words, start, end);
    this.length++;
  }

  /** By message and row; the fields of one message in one entry, in the order in which they came. */
  finish(): UnknownFields | undefined {
    const { length } = this.#message;
    this.length = 0;
    this.#source = undefined;
    this.#words = undefined;
    if (length === 0) return undefined;
    const messages = this.#message.finish();
    const rows = this.#row.finish();
    const starts = this.#start.finish();
    const bytes = this.#bytes.finish();
    const order = Uint32Array.from({ length }, (_, i) => i).sort(
      (a, b) => messages[a]! - messages[b]! || rows[a]! - rows[b]! || a - b,
    );
    const message = new ByteColumn();
    const row = new IntegerColumn();
    const start = new IntegerColumn();
    const sorted = new ByteColumn();
    const words = viewOf(bytes);
    for (const entry of order) {
      const last = message.length - 1;
      if (last < 0 || message.data[last] !== messages[entry] || row.data[last] !== rows[entry]) {
        message.push(messages[entry]!);
        row.push(rows[entry]!);
        start.push(sorted.length);
      }
      sorted.append(bytes, words, starts[entry]!, entry + 1 < length ? starts[entry + 1]! : bytes.length);
    }
    start.push(sorted.length);
    return {
      length: message.length,
      message: message.finish(),
      row: row.finish(),
      starts: start.finish(),
      bytes: sorted.finish(),
    };
  }
}
