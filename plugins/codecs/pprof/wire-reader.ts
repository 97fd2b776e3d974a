/**
 * protobufjs' Reader with what profiles need besides: 64-bit varints as two halves (its own int64 makes an object per number,
 * its uint32 drops high bits in silence), and errors that name the message, the row, the field and the offset.
 *
 * `len` is always the end of the message that is being read, so that nothing reads over it.
 */
import protobuf from 'protobufjs/minimal.js';
import { FormatError } from '../../../core/index.js';
import { WireType } from './fields.js';

export class WireReader extends protobuf.Reader {
  /** Halves of the last 64-bit number, as unsigned 32-bit numbers. */
  lo = 0;
  hi = 0;
  /** The message that is being read, for errors: "Profile.sample". */
  message = 'Profile';
  /** Its row in its table; −1 where there is one only. */
  row = -1;
  /** Offset of `buf[0]` in the decompressed input. */
  base = 0;

  /** Reads `bytes` from their start. */
  attach(bytes: Uint8Array, base: number): void {
    this.buf = bytes;
    this.pos = 0;
    this.len = bytes.length;
    this.base = base;
  }

  /** A varint of up to 64 bits, into `lo` and `hi`. @throws FormatError E_TRUNCATED, E_VARINT */
  varint64(): void {
    const buf = this.buf;
    let pos = this.pos;
    // Past the end of the buffer this reads undefined, which counts as 0 bits with no end: found below.
    let byte = buf[pos++]!;
    let lo = byte & 127;
    let hi = 0;
    if (!(byte < 128)) {
      let shift = 7;
      do {
        byte = buf[pos++]!;
        if (shift < 28) lo |= (byte & 127) << shift;
        else if (shift === 28) {
          lo |= (byte & 127) << 28;
          hi = (byte & 127) >>> 4;
        } else if (shift < 63) hi |= (byte & 127) << (shift - 32);
        else {
          if (pos <= this.len && byte > 1) throw this.#badVarint();
          hi |= byte << 31;
        }
        shift += 7;
      } while (!(byte < 128) && shift < 70);
    }
    if (pos > this.len) throw this.fail('E_TRUNCATED', 'message ends within a number');
    this.lo = lo >>> 0;
    this.hi = hi >>> 0;
    this.pos = pos;
  }

  /** A varint that is a string's row. @throws FormatError E_STRING_INDEX when it can be none, however large the table */
  stringIndex(field: string): number {
    this.varint64();
    if (this.hi !== 0 || this.lo > 0x7fffffff) {
      throw this.fail('E_STRING_INDEX', 'not an index into the string table', { field, got: this.signed() });
    }
    return this.lo;
  }

  /** A length prefix, that what is left must hold. @returns the end of what it is the length of */
  lengthEnd(): number {
    this.varint64();
    const end = this.pos + this.lo;
    if (this.hi !== 0 || end > this.len) {
      const got = this.unsigned();
      throw this.fail('E_LENGTH', 'length is more than what is left', { got, limit: this.len - this.pos });
    }
    return end;
  }

  /** The number last read, as int64. */
  signed(): bigint {
    return BigInt.asIntN(64, this.unsigned());
  }

  /** The number last read, as uint64. */
  unsigned(): bigint {
    return (BigInt(this.hi) << 32n) | BigInt(this.lo);
  }

  /** @throws FormatError E_WIRE_TYPE unless `tag` has the wire type that `field` must have */
  expect(tag: number, wireType: number, field: string): void {
    if ((tag & 7) === wireType) return;
    throw this.fail('E_WIRE_TYPE', `wire type is not ${wireType}`, { field, got: tag & 7 });
  }

  /** Goes over the payload of a field that is not known. */
  skipField(tag: number): void {
    if (tag >>> 3 === 0) throw this.fail('E_FIELD', 'field number 0');
    switch (tag & 7) {
      case WireType.varint:
        this.varint64();
        return;
      case WireType.fixed64:
        this.#skipBytes(8);
        return;
      case WireType.bytes:
        this.pos = this.lengthEnd();
        return;
      case WireType.fixed32:
        this.#skipBytes(4);
        return;
      default:
        throw this.fail('E_WIRE_TYPE', `wire type of unknown field ${tag >>> 3} is not supported`, { got: tag & 7 });
    }
  }

  /** An error at the cursor. */
  fail(
    code: string,
    message: string,
    detail: { field?: string; got?: number | bigint; limit?: number | bigint } = {},
  ): FormatError {
    const { field, got, limit } = detail;
    const row = this.row < 0 ? '' : `[${this.row}]`;
    const section = `${this.message}${row}${field === undefined ? '' : `.${field}`}`;
    return new FormatError(code, message, { section, offset: this.base + this.pos, got, limit });
  }

  /** What protobufjs throws when a tag is cut or too long, as a FormatError; others as they are. */
  asFormatError(error: unknown): unknown {
    if (error instanceof FormatError) return error;
    if (error instanceof RangeError && error.message.startsWith('index out of range')) {
      return this.fail('E_TRUNCATED', 'message ends within a tag');
    }
    if (error instanceof Error && error.message === 'invalid tag encoding') {
      return this.fail('E_VARINT', 'tag of more than 32 bits');
    }
    return error;
  }

  #badVarint(): FormatError {
    return this.fail('E_VARINT', 'number of more than 64 bits');
  }

  #skipBytes(count: number): void {
    if (count > this.len - this.pos) throw this.fail('E_TRUNCATED', 'message ends within a fixed-size number');
    this.pos += count;
  }
}
