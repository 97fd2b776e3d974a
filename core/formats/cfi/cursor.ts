/** A bounds-checked cursor over part of a CFI section, little-endian, with LEB128 numbers. Errors say the section and the offset into it. */
import { FormatError } from '../errors.js';

export class CfiCursor {
  readonly bytes: Uint8Array;
  readonly section: string;
  /** Offset into `bytes` of the next read. */
  offset: number;
  /** Reads stop here. */
  end: number;

  constructor(bytes: Uint8Array, section: string, offset = 0, end = bytes.length) {
    this.bytes = bytes;
    this.section = section;
    this.offset = offset;
    this.end = Math.min(end, bytes.length);
  }

  u8(): number {
    if (this.offset >= this.end) this.truncated(1);
    return this.bytes[this.offset++]!;
  }

  u16(): number {
    const at = this.#take(2);
    return this.bytes[at]! | (this.bytes[at + 1]! << 8);
  }

  u32(): number {
    return this.i32() >>> 0;
  }

  i32(): number {
    const at = this.#take(4);
    const { bytes } = this;
    return bytes[at]! | (bytes[at + 1]! << 8) | (bytes[at + 2]! << 16) | (bytes[at + 3]! << 24);
  }

  u64(): bigint {
    const low = this.u32();
    return (BigInt(this.u32()) << 32n) | BigInt(low);
  }

  /** Unsigned LEB128. @throws FormatError E_LEB128 beyond 2^53 */
  uleb(): number {
    let byte = this.u8();
    if (byte < 0x80) return byte;
    let value = byte & 0x7f;
    let unit = 0x80;
    do {
      byte = this.u8();
      value += (byte & 0x7f) * unit;
      unit *= 0x80;
      if (value > Number.MAX_SAFE_INTEGER || unit > 2 ** 70) this.fail('E_LEB128', 'LEB128 number beyond 2^53');
    } while (byte >= 0x80);
    return value;
  }

  /** Signed LEB128. @throws FormatError E_LEB128 beyond ±2^53 */
  sleb(): number {
    let value = 0;
    let unit = 1;
    for (;;) {
      const byte = this.u8();
      value += (byte & 0x7f) * unit;
      unit *= 0x80;
      if (byte < 0x80) {
        if ((byte & 0x40) !== 0) value -= unit;
        if (!Number.isSafeInteger(value)) this.fail('E_LEB128', 'LEB128 number beyond 2^53');
        return value;
      }
      if (unit > 2 ** 70) this.fail('E_LEB128', 'LEB128 number beyond 2^53');
    }
  }

  /** LEB128 of up to 64 bits, modulo 2^64. */
  leb64(isSigned: boolean): bigint {
    let value = 0n;
    for (let shift = 0n; shift < 70n; shift += 7n) {
      const byte = this.u8();
      value |= BigInt(byte & 0x7f) << shift;
      if (byte >= 0x80) continue;
      if (isSigned && (byte & 0x40) !== 0) value -= 1n << (shift + 7n);
      return BigInt.asUintN(64, value);
    }
    return this.fail('E_LEB128', 'LEB128 number of more than 10 bytes');
  }

  /** The next bytes, as a view. */
  take(length: number): Uint8Array {
    const at = this.#take(length);
    return this.bytes.subarray(at, at + length);
  }

  skip(length: number): void {
    this.#take(length);
  }

  fail(code: string, message: string, got?: number | string): never {
    throw new FormatError(code, message, { section: this.section, offset: this.offset, got });
  }

  truncated(length: number): never {
    throw new FormatError('E_TRUNCATED', `${length} bytes wanted, ${this.end - this.offset} left`, {
      section: this.section,
      offset: this.offset,
    });
  }

  #take(length: number): number {
    const at = this.offset;
    if (!(length >= 0 && length <= this.end - at)) this.truncated(length);
    this.offset = at + length;
    return at;
  }
}
