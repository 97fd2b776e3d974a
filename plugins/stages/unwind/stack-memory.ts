/** The captured bytes of one stack, by address. */
import type { CaptureTable } from '../../../core/index.js';
import type { Ending } from './ending.js';

const WORD_BYTES = 8;
/** arm64: pointer authentication has the bits from 48 on for its signature. */
const SIGNED_ADDRESS_HIGH = 0xffff;

export class StackMemory {
  #bytes: Uint8Array = new Uint8Array(0);
  #view: DataView = new DataView(new ArrayBuffer(0));
  /** Runtime addresses that were captured: [start, end). */
  start = 0;
  end = 0;
  readonly #addressHigh: number;

  constructor(architecture: CaptureTable['architecture']) {
    this.#addressHigh = architecture === 'arm64' ? SIGNED_ADDRESS_HIGH : 0xffffffff;
  }

  /** @param start the stack pointer, where the copy begins */
  set(bytes: Uint8Array, start: number): void {
    this.#bytes = bytes;
    this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    this.start = start;
    this.end = start + bytes.length;
  }

  /** Offset of a word into the copy; −1 for one that was not captured. */
  #offset(address: number): number {
    const at = address - this.start;
    return at >= 0 && at + WORD_BYTES <= this.#bytes.length ? at : -1;
  }

  /** A word as a number, exact below 2^53; NaN for one that was not captured. */
  word(address: number): number {
    const at = this.#offset(address);
    if (at < 0) return Number.NaN;
    return this.#view.getUint32(at + 4, true) * 2 ** 32 + this.#view.getUint32(at, true);
  }

  /** A saved return address, without the signature that pointer authentication puts into it. NaN as `word`. */
  codeAddress(address: number): number {
    const at = this.#offset(address);
    if (at < 0) return Number.NaN;
    const high = (this.#view.getUint32(at + 4, true) & this.#addressHigh) >>> 0;
    return high * 2 ** 32 + this.#view.getUint32(at, true);
  }

  /** @returns undefined for what was not captured */
  exact(address: bigint, bytes: number): bigint | undefined {
    const at = Number(address) - this.start;
    if (!(at >= 0 && at + bytes <= this.#bytes.length)) return undefined;
    let value = 0n;
    for (let byte = bytes - 1; byte >= 0; byte--) value = (value << 8n) | BigInt(this.#bytes[at + byte]!);
    return value;
  }

  /** Why a stack ends that needs a word which was not captured. */
  whyUnknown(address: number): Ending {
    return address + WORD_BYTES > this.end ? 'truncated' : 'bad_read';
  }
}
