/**
 * protobufjs' Reader with what profiles need besides: 64-bit varints as two halves (its own int64 makes an object per number,
 * its uint32 drops high bits in silence), tag and number in one step, and errors that name the message, the row, the field and the
 * offset.
 *
 * `len` is always the end of the message that is being read, so that nothing reads over it.
 */
import protobuf from 'protobufjs/minimal.js';
import { FormatError } from '../../../core/index.js';
import { WireType } from './fields.js';
import { viewOf } from './words.js';

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
  /** The memory of `buf`: one read of four bytes costs what one of a byte does. */
  words: DataView = new DataView(new ArrayBuffer(0));
  /** Last position that four bytes can be read at; negative when there is none. */
  lastWord = -1;

  /** Reads `bytes` from their start. */
  attach(bytes: Uint8Array, base: number): void {
    this.buf = bytes;
    this.pos = 0;
    this.len = bytes.length;
    this.base = base;
    this.words = viewOf(bytes);
    this.lastWord = bytes.length - 4;
  }

  /**
   * The next field of a message: its tag, and the varint behind it, which is the number itself (wire type 0) or the length of its
   * bytes (2; they are there, and the cursor is at their start). Of the other wire types the tag alone.
   * @returns the tag; the number is in `lo` and `hi`
   * @throws FormatError E_TRUNCATED, E_VARINT, E_LENGTH
   */
  next(): number {
    const { pos } = this;
    if (pos <= this.lastWord) {
      const word = this.words.getInt32(pos, true);
      const rest = word >>> 8;
      const ends = ~rest & 0x808080;
      // A tag of one byte and of wire type 0 or 2, and a varint of up to three bytes: nearly all fields.
      if (ends !== 0 && (word & 0x85) === 0) {
        const lowest = ends & -ends;
        const bits = rest & (lowest - 1);
        const lo = (bits & 0x7f) | ((bits >>> 1) & 0x3f80) | ((bits >>> 2) & 0x1fc000);
        const end = pos + 1 + ((39 - Math.clz32(lowest)) >>> 3);
        this.lo = lo;
        this.hi = 0;
        this.pos = end;
        if (((word & 2) === 0 ? end : end + lo) > this.len) throw this.#overrun(word & 0xff);
        return word & 0xff;
      }
    }
    return this.#longNext();
  }

  #longNext(): number {
    const tag = this.tag();
    const wireType = tag & 7;
    if (wireType === WireType.varint) this.varint64();
    else if (wireType === WireType.bytes) this.lo = this.lengthEnd() - this.pos;
    return tag;
  }

  #overrun(tag: number): FormatError {
    if (this.pos > this.len) return this.fail('E_TRUNCATED', 'message ends within a number');
    const limit = this.len - this.pos;
    return this.fail('E_LENGTH', `length of field ${tag >>> 3} is more than what is left`, {
      got: this.unsigned(),
      limit,
    });
  }

  /**
   * A varint of up to 64 bits.
   * @returns its low half, which is in `lo` too; the high half is in `hi`
   * @throws FormatError E_TRUNCATED, E_VARINT
   */
  varint64(): number {
    const { pos } = this;
    if (pos <= this.lastWord) {
      const word = this.words.getInt32(pos, true);
      const ends = ~word & 0x80808080;
      if (ends !== 0) {
        const lowest = ends & -ends;
        const bits = word & (lowest - 1);
        const end = pos + ((39 - Math.clz32(lowest)) >>> 3);
        if (end > this.len) throw this.fail('E_TRUNCATED', 'message ends within a number');
        this.pos = end;
        this.hi = 0;
        this.lo = (bits & 0x7f) | ((bits >>> 1) & 0x3f80) | ((bits >>> 2) & 0x1fc000) | ((bits >>> 3) & 0xfe00000);
        return this.lo;
      }
    }
    return this.#longVarint();
  }

  #longVarint(): number {
    const { buf } = this;
    let { pos } = this;
    let lo = 0;
    let hi = 0;
    for (let shift = 0; ; shift += 7) {
      if (pos >= this.len) throw this.fail('E_TRUNCATED', 'message ends within a number');
      const byte = buf[pos++]!;
      if (shift < 28) lo |= (byte & 127) << shift;
      else if (shift === 28) {
        lo |= byte << 28;
        hi = (byte & 127) >>> 4;
      } else if (shift < 63) hi |= (byte & 127) << (shift - 32);
      else if (byte > 1) throw this.fail('E_VARINT', 'number of more than 64 bits');
      else hi |= byte << 31;
      if (byte < 128) break;
    }
    this.pos = pos;
    this.lo = lo;
    this.hi = hi;
    return lo;
  }

  /** The number last read, as a string's row. @throws FormatError E_STRING_INDEX when it can be none, however large the table */
  stringRow(field: string): number {
    if (this.hi !== 0 || this.lo < 0) {
      throw this.fail('E_STRING_INDEX', 'not an index into the string table', { field, got: this.signed() });
    }
    return this.lo;
  }

  /** A length prefix, that what is left must hold. @returns the end of what it is the length of */
  lengthEnd(): number {
    this.varint64();
    const end = this.pos + this.lo;
    if (this.hi !== 0 || this.lo < 0 || end > this.len) {
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
    return (BigInt(this.hi >>> 0) << 32n) | BigInt(this.lo >>> 0);
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
