/**
 * A part of the table of which little is looked at: names and files. Small ones are read whole; of large ones (programs of hundreds of
 * megabytes) only what is asked for.
 */
import type { TablePart } from './header.js';

const MAX_HELD_BYTES = 1 << 23;

export class TablePartBytes {
  readonly length: number;
  readonly #start: number;
  readonly #read: (offset: number, length: number) => Uint8Array;
  #held: Uint8Array | undefined;

  /** @param read bytes at an offset into the table, shorter where it ends */
  constructor(read: (offset: number, length: number) => Uint8Array, [start, end]: TablePart) {
    this.length = end - start;
    this.#start = start;
    this.#read = read;
  }

  get heldBytes(): number {
    return this.#held?.byteLength ?? 0;
  }

  /** A view from an offset into the part on, shorter where the part ends, empty outside. */
  at(offset: number, length: number): Uint8Array {
    if (!(offset >= 0 && offset < this.length)) return new Uint8Array(0);
    if (this.length > MAX_HELD_BYTES) return this.#read(this.#start + offset, Math.min(length, this.length - offset));
    this.#held ??= this.#read(this.#start, this.length);
    return this.#held.subarray(offset, offset + length);
  }
}
