/** Fields that this program does not know, kept byte for byte: tag and payload, by message and row. */
import type { UnknownFields } from '../../../core/index.js';
import { Column } from './columns.js';

/** Fields of one message that come one after another share an entry. */
class Entries {
  length = 0;
  readonly #bytes = new Column<Uint8Array>(Uint8Array);
  readonly #message = new Column<Uint8Array>(Uint8Array);
  readonly #row = new Column<Uint32Array>(Uint32Array);
  readonly #start = new Column<Uint32Array>(Uint32Array);
  #lastMessage = -1;
  #lastRow = -1;

  add(message: number, row: number, bytes: Uint8Array): void {
    if (this.#lastMessage !== message || this.#lastRow !== row) this.#begin(message, row);
    this.#bytes.append(bytes);
  }

  #begin(message: number, row: number): void {
    this.#lastMessage = message;
    this.#lastRow = row;
    this.length++;
    this.#message.push(message);
    this.#row.push(row);
    this.#start.push(this.#bytes.length);
  }

  finish(): UnknownFields | undefined {
    const { length } = this;
    if (length === 0) return undefined;
    this.length = 0;
    this.#lastMessage = -1;
    this.#start.push(this.#bytes.length);
    return {
      length,
      message: this.#message.finish(),
      row: this.#row.finish(),
      starts: this.#start.finish(),
      bytes: this.#bytes.finish(),
    };
  }
}

export class UnknownCollector {
  /** Number of fields. */
  length = 0;
  #entries = new Entries();

  /** @param message one of UnknownIn; @param bytes of fields, which are copied; @param count how many fields they are */
  add(message: number, row: number, bytes: Uint8Array, count = 1): void {
    this.#entries.add(message, row, bytes);
    this.length += count;
  }

  /** By message and row; the fields of one message in one entry, in the order in which they came. */
  finish(): UnknownFields | undefined {
    const fields = this.#entries.finish();
    if (fields === undefined) return undefined;
    const { length, message, row, starts, bytes } = fields;
    const order = Uint32Array.from({ length }, (_, i) => i).sort(
      (a, b) => message[a]! - message[b]! || row[a]! - row[b]! || a - b,
    );
    for (const entry of order) {
      this.#entries.add(message[entry]!, row[entry]!, bytes.subarray(starts[entry]!, starts[entry + 1]!));
    }
    return this.#entries.finish();
  }

  clear(): void {
    if (this.length > 0) this.#entries = new Entries();
    this.length = 0;
  }
}
