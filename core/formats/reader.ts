/** A bounds-checked cursor over bytes, little-endian. Reads past the end throw `E_TRUNCATED` with section and offset. */
import { FormatError } from './errors.js';

export class ByteReader {
  readonly bytes: Uint8Array;
  /** Name for errors: the section or message that `bytes` is. */
  readonly section: string;
  #view: DataView;
  /** Offset into `bytes` of the next read. */
  offset: number;
  readonly #littleEndian: boolean;

  constructor(bytes: Uint8Array, section: string, offset = 0, littleEndian = true) {
    this.bytes = bytes;
    this.section = section;
    this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    this.offset = offset;
    this.#littleEndian = littleEndian;
    if (offset < 0 || offset > bytes.length) this.#truncated(offset, 0);
  }

  get remaining(): number {
    return this.bytes.length - this.offset;
  }

  u8(): number {
    return this.#view.getUint8(this.#take(1));
  }

  u16(): number {
    return this.#view.getUint16(this.#take(2), this.#littleEndian);
  }

  u32(): number {
    return this.#view.getUint32(this.#take(4), this.#littleEndian);
  }

  i32(): number {
    return this.#view.getInt32(this.#take(4), this.#littleEndian);
  }

  u64(): bigint {
    return this.#view.getBigUint64(this.#take(8), this.#littleEndian);
  }

  /** A u64 that must be a length, count or offset into a file: @throws FormatError E_RANGE beyond 2^53 − 1 */
  size64(): number {
    const at = this.offset;
    const value = this.u64();
    if (value > 0x1fffffffffffffn) {
      throw new FormatError('E_RANGE', 'value does not fit a file offset', {
        section: this.section,
        offset: at,
        got: value,
        limit: 2 ** 53 - 1,
      });
    }
    return Number(value);
  }

  /** The next `length` bytes, as a view. */
  take(length: number): Uint8Array {
    const at = this.#take(length);
    return this.bytes.subarray(at, at + length);
  }

  skip(length: number): void {
    this.#take(length);
  }

  seek(offset: number): void {
    if (!(offset >= 0 && offset <= this.bytes.length)) this.#truncated(offset, 0);
    this.offset = offset;
  }

  /** Bytes up to the next NUL, as a view; the cursor goes behind the NUL. */
  cstring(): Uint8Array {
    const end = this.bytes.indexOf(0, this.offset);
    if (end < 0)
      throw new FormatError('E_TRUNCATED', 'string without end', { section: this.section, offset: this.offset });
    const text = this.bytes.subarray(this.offset, end);
    this.offset = end + 1;
    return text;
  }

  #take(length: number): number {
    const at = this.offset;
    if (!(length >= 0 && length <= this.bytes.length - at)) this.#truncated(at, length);
    this.offset = at + length;
    return at;
  }

  #truncated(offset: number, length: number): never {
    throw new FormatError('E_TRUNCATED', `${length} bytes wanted, ${Math.max(0, this.bytes.length - offset)} left`, {
      section: this.section,
      offset,
    });
  }
}
