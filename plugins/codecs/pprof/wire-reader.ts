/**
 * protobufjs' Reader with what profiles need besides: 64-bit varints as two halves (its own int64 makes an object per number,
 * its uint32 drops high bits in silence), tag and number in one step, and errors that name the message, the row, the field and the
 * offset. The rows of tables read their short fields themselves (words.ts), and come here for all others.
 *
 * `len` is always the end of the message that is being read, so that nothing goes over it.
 */
import protobuf from 'protobufjs/minimal.js';
import { FormatError } from '../../../core/index.js';
import { WireType } from './fields.js';
import { bytesTo, endBit, sevens, viewOf } from './words.js';

/** What may be read behind a message: the longest number, and a word. */
export const SLACK_BYTES = 16;

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
  /** The memory of `buf`. */
  words: DataView = new DataView(new ArrayBuffer(0));

  /**
   * Reads `bytes` from their start.
   * @param bytes with SLACK_BYTES behind what is read, of any values: so that numbers are read as words without asking for the end
   */
  attach(bytes: Uint8Array, base: number): void {
    this.buf = bytes;
    this.pos = 0;
    this.len = bytes.length - SLACK_BYTES;
    this.base = base;
    this.words = viewOf(bytes);
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
    const { pos, words } = this;
    const word = words.getInt32(pos, true);
    const bit = endBit(word);
    let size = bytesTo(bit);
    let lo = sevens(word & (bit - 1));
    let hi = 0;
    if (bit === 0) {
      const second = words.getInt32(pos + 4, true);
      const secondBit = endBit(second);
      const high = sevens(second & (secondBit - 1));
      lo |= high << 28;
      hi = high >>> 4;
      size = 4 + bytesTo(secondBit);
      if (secondBit === 0) {
        const ninth = words.getUint8(pos + 8);
        const tenth = ninth < 128 ? 0 : words.getUint8(pos + 9);
        if (tenth > 1 && pos + 10 <= this.len) throw this.fail('E_VARINT', 'number of more than 64 bits');
        hi |= ((ninth & 127) << 24) | (tenth << 31);
        size = ninth < 128 ? 9 : 10;
      }
    }
    if (pos + size > this.len) throw this.fail('E_TRUNCATED', 'message ends within a number');
    this.pos = pos + size;
    this.hi = hi;
    this.lo = lo;
    return lo;
  }

  /**
   * The varint at `pos` behind a tag's first byte, when it is no varint of up to four bytes.
   * @returns where it ends, what it is in `lo` and `hi`; `pos` where the tag is longer or the wire type has no varint
   */
  long(pos: number, tag: number): number {
    if ((tag & 0x85) !== 0) return pos;
    this.pos = pos;
    this.varint64();
    return this.pos;
  }

  /**
   * Ends a message whose fields were read without a look at its end.
   * @param pos behind the last field @throws FormatError E_TRUNCATED
   */
  leave(pos: number, end: number): void {
    this.pos = end;
    if (pos !== end) throw this.fail('E_TRUNCATED', 'message ends within a number');
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
