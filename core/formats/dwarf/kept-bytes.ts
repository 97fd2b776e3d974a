/** Bytes that stay in a kernel's memory for further calls, until they are too many: then all are dropped. */
import type { Address, DwarfKernel } from './kernel.js';

/** Of all, and of one: of a larger unit parts are read, since its copy would be most of what is held of a large file. */
const MAX_BYTES = 1 << 23;
const MAX_LENGTH = 1 << 21;
/** Behind each: numbers that are cut end there. */
const ZEROS = 32;

/** What was kept together and is dropped together: to be compared only. */
export type Era = object;

export class KeptBytes {
  readonly #kernel: DwarfKernel;
  #blocks: { readonly address: Address; readonly bytes: number }[] = [];
  #bytes = 0;
  #era: Era = {};

  constructor(kernel: DwarfKernel) {
    this.#kernel = kernel;
  }

  /** Another one when what was kept has been dropped. */
  get era(): Era {
    return this.#era;
  }

  /** @returns where they are, for as long as the era is this one; undefined for bytes that are too many */
  keep(content: Uint8Array): Address | undefined {
    const bytes = content.length + ZEROS;
    if (bytes > MAX_LENGTH) return undefined;
    if (this.#bytes + bytes > MAX_BYTES) this.#drop();
    const address = this.#kernel.exports.allocate(bytes);
    const room = this.#kernel.bytes.subarray(address >>> 0).subarray(0, bytes);
    room.set(content);
    room.fill(0, content.length);
    this.#blocks.push({ address, bytes });
    this.#bytes += bytes;
    return address;
  }

  #drop(): void {
    for (const { address, bytes } of this.#blocks) this.#kernel.exports.release(address, bytes);
    this.#blocks = [];
    this.#bytes = 0;
    this.#era = {};
  }
}
