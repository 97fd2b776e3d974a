/** Columns in a kernel's memory, which rows are moved from in blocks. */
import type { Block, BlockType } from './columns.js';

/** A kernel reads and writes words of up to 32 bytes, whatever it needs of them. */
const SLACK_BYTES = 32;
const ALIGNMENT = 16;

/** In the kernel's memory, as it returns it: signed. */
export type Address = number;

export class Staged<T extends Block> {
  address: Address = 0;
  readonly #type: BlockType<T>;
  readonly #perByte: number;
  readonly #isCleared: boolean;
  #rows: T;
  #bytes = new Uint8Array(0);

  /**
   * @param perByte entries that a byte of input may give
   * @param isCleared whether the kernel leaves out entries that are 0
   */
  constructor(type: BlockType<T>, perByte: number, isCleared: boolean) {
    this.#type = type;
    this.#perByte = perByte;
    this.#isCleared = isCleared;
    this.#rows = new type(0);
  }

  /** Bytes for what so much input may give. */
  bytesFor(inputBytes: number): number {
    return (
      Math.ceil((this.#entriesFor(inputBytes) * this.#type.BYTES_PER_ELEMENT + SLACK_BYTES) / ALIGNMENT) * ALIGNMENT
    );
  }

  /** @param address of `bytesFor(inputBytes)` bytes that are 0 */
  place(memory: ArrayBuffer, address: Address, inputBytes: number): void {
    this.address = address;
    this.#rows = new this.#type(memory, address, this.#entriesFor(inputBytes));
    this.#bytes = new Uint8Array(memory, address, this.#rows.byteLength);
  }

  #entriesFor(inputBytes: number): number {
    return Math.ceil(inputBytes * this.#perByte);
  }

  /** Gives the first entries to `use`, which keeps none of their memory. */
  take(count: number, use: (block: T) => void): void {
    if (count === 0) return;
    use(this.#rows.subarray(0, count) as T);
    this.clear(count);
  }

  /** Makes the first entries ready for others. */
  clear(count: number): void {
    if (this.#isCleared) this.#bytes.fill(0, 0, count * this.#type.BYTES_PER_ELEMENT);
  }
}
