/**
 * Numbers out of DWARF sections, little-endian, fast: a read behind the end gives zeros and leaves `position` behind `end`, so
 * that loops check once a record (`check`) and not once a byte.
 */
import { FormatError } from '../errors.js';

/** What is taken off absolute addresses, as two words: kernels link above 2^53. */
export interface ImageBase {
  readonly high: number;
  readonly low: number;
}

export class DwarfCursor {
  readonly bytes: Uint8Array;
  /** Section that the bytes are of, for errors. */
  readonly section: string;
  /** Offset of the first byte into the section. */
  readonly start: number;
  /** Of the next read, into `bytes`. */
  position = 0;

  constructor(bytes: Uint8Array, section: string, start = 0) {
    this.bytes = bytes;
    this.section = section;
    this.start = start;
  }

  /** @throws FormatError E_TRUNCATED when something was read from behind the end */
  check(): void {
    if (this.position <= this.bytes.length) return;
    throw new FormatError('E_TRUNCATED', 'data goes on behind its end', {
      section: this.section,
      offset: this.start + this.position,
      limit: this.start + this.bytes.length,
    });
  }

  u8(): number {
    return this.bytes[this.position++]! | 0;
  }

  u16(): number {
    const { bytes, position } = this;
    this.position = position + 2;
    return bytes[position]! | (bytes[position + 1]! << 8);
  }

  u32(): number {
    const { bytes, position } = this;
    this.position = position + 4;
    return (
      (bytes[position]! | (bytes[position + 1]! << 8) | (bytes[position + 2]! << 16) | (bytes[position + 3]! << 24)) >>>
      0
    );
  }

  /** Not exact above 2^53, where no offset is valid. */
  u64(): number {
    const low = this.u32();
    return low + this.u32() * 2 ** 32;
  }

  exact64(): bigint {
    const low = this.u32();
    return BigInt(low) | (BigInt(this.u32()) << 32n);
  }

  /** An offset or length of the 32- or 64-bit format, or a relative address. */
  offset(offsetBytes: 4 | 8): number {
    return offsetBytes === 4 ? this.u32() : this.u64();
  }

  /** An absolute address, as an object address. One of 4 bytes has no high word. */
  address(size: number, base: ImageBase): number {
    const low = this.u32();
    const high = size === 8 ? this.u32() : 0;
    return (high - base.high) * 2 ** 32 + (low - base.low);
  }

  uleb(): number {
    const { bytes } = this;
    let byte = bytes[this.position++]!;
    if (byte < 0x80) return byte;
    let value = byte & 0x7f;
    let scale = 0x80;
    do {
      byte = bytes[this.position++]! | 0;
      value += (byte & 0x7f) * scale;
      scale *= 0x80;
    } while (byte >= 0x80);
    return value;
  }

  /** Over a text and its NUL; one without goes behind the end. */
  skipText(): void {
    const { bytes } = this;
    let { position } = this;
    while (bytes[position]! > 0) position++;
    this.position = position + 1;
  }
}
