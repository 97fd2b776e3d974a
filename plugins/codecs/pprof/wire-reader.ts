/**
 * protobufjs' Reader with what profiles need besides: 64-bit varints as two halves (its own int64 makes an object per number,
 * its uint32 drops high bits in silence), tag and number in one step, and errors that name the message, the row, the field and the
 * offset. It reads what is no table's row; those are the kernel's (row-kernel.ts).
 *
 * `len` is always the end of the message that is being read, so that nothing goes over it.
 */
import protobuf from 'protobufjs/minimal.js';
import { FormatError } from '../../../core/index.js';
import { WireType } from './fields.js';

export class WireReader extends protobuf.Reader {
  /** Halves of the last number, as signed 32-bit numbers: those are small integers to the engine, unsigned ones are not. */
  lo = 0;
  hi = 0;
  /** The message that is being read, for errors: "Profile.sample". */
  message = 'Profile';
  /** Its row in its table; −1 where there is one only. */
  row = -1;
  /** Offset of `buf[0]` in the decompressed input. */
  base = 0;

  /** Reads `bytes` from `pos` on. @param base offset of the bytes in the decompressed input */
  attach(bytes: Uint8Array, base: number, pos: number): void {
    this.buf = bytes;
    this.pos = pos;
    this.len = bytes.length;
    this.base = base;
    this.message = 'Profile';
    this.row = -1;
  }

  /**
   * The next field of a message: its tag, and the varint behind it, which is the number itself (wire type 0) or the length of its
   * bytes (2; they are there, and the cursor is at their start). Of the other wire types the tag alone.
   * @returns the tag; the number is in `lo` and `hi`
   * @throws FormatError E_TRUNCATED, E_VARINT, E_LENGTH
   */
  next(): number {
    const tag = this.tag();
    const wireType = tag & 7;
    if (wireType === WireType.varint) this.varint64();
    else if (wireType === WireType.bytes) this.lo = this.lengthEnd() - this.pos;
    return tag;
  }

  /**
   * A varint of up to 64 bits.
   * @returns its low half, which is in `lo` too; the high half is in `hi`
   * @throws FormatError E_TRUNCATED, E_VARINT
   */
  varint64(): number {
    const { buf, len } = this;
    let pos = this.pos;
    let lo = 0;
    let hi = 0;
    for (let shift = 0; ; shift += 7) {
      if (pos >= len) throw this.fail('E_TRUNCATED', 'message ends within a number');
      const byte = buf[pos++]!;
      const bits = byte & 127;
      if (shift === 63 && byte > 1) throw this.fail('E_VARINT', 'number of more than 64 bits');
      if (shift <= 28) lo |= bits << shift;
      if (shift >= 28) hi |= shift === 28 ? bits >>> 4 : bits << (shift - 32);
      if (byte < 128) break;
    }
    this.pos = pos;
    this.hi = hi;
    this.lo = lo;
    return lo;
  }

  /** A number as a string's row. @throws FormatError E_STRING_INDEX when it can be none, however large the table */
  stringRow(field: string, lo = this.lo, hi = this.hi): number {
    if (hi !== 0 || lo < 0) {
      const got = BigInt.asIntN(64, unsigned(lo, hi));
      throw this.fail('E_STRING_INDEX', 'not an index into the string table', { field, got });
    }
    return lo;
  }

  /** A length prefix, that what is left must hold. @returns the end of what it is the length of */
  lengthEnd(): number {
    this.varint64();
    return this.bytesEnd(this.pos, this.lo, this.hi);
  }

  /** End of bytes that start at `pos` and have a length that was read. @throws FormatError E_LENGTH */
  bytesEnd(pos: number, lo: number, hi: number): number {
    const end = pos + lo;
    if (hi !== 0 || lo < 0 || end > this.len) {
      this.pos = Math.min(pos, this.len);
      const got = unsigned(lo, hi);
      throw this.fail('E_LENGTH', 'length is more than what is left', { got, limit: this.len - this.pos });
    }
    return end;
  }

  /** The number last read, as int64. */
  signed(): bigint {
    return BigInt.asIntN(64, unsigned(this.lo, this.hi));
  }

  /**
   * Goes over a field that `next` found and the message does not know.
   * @param known names of the message's fields by number: one of them here has the wrong wire type
   * @throws FormatError E_WIRE_TYPE, E_FIELD
   */
  skipField(tag: number, known: readonly string[]): void {
    const field = tag >>> 3;
    const wireType = tag & 7;
    const name = known[field];
    if (field === 0) throw this.fail('E_FIELD', 'field number 0');
    if (name !== undefined) throw this.fail('E_WIRE_TYPE', 'wrong wire type', { field: name, got: wireType });
    if (wireType === WireType.bytes) this.pos += this.lo;
    else if (wireType === WireType.fixed64) this.#skipBytes(8);
    else if (wireType === WireType.fixed32) this.#skipBytes(4);
    else if (wireType !== WireType.varint) {
      throw this.fail('E_WIRE_TYPE', `wire type of unknown field ${field} is not supported`, { got: wireType });
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

  #skipBytes(count: number): void {
    if (count > this.len - this.pos) throw this.fail('E_TRUNCATED', 'message ends within a fixed-size number');
    this.pos += count;
  }
}

function unsigned(lo: number, hi: number): bigint {
  return (BigInt(hi >>> 0) << 32n) | BigInt(lo >>> 0);
}
