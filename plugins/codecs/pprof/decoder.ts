/**
 * Bytes of a profile.proto message, in pieces as they come, into columns.
 *
 * Tables may come in any order, and a row before what it refers to (Go's runtime writes mappings and strings last), so rows keep
 * ids and string indexes as they are, and `finish` resolves and checks them all. Only a field that straddles two pieces is copied.
 *
 * Source: github.com/google/pprof proto/profile.proto. What google/pprof's Parse refuses is refused here too; differences: a second
 * period_type is merged, as protobuf has it, and numbers of more than 64 bits are refused.
 */
import type { Limits, Profile, StringTable, ValueType } from '../../../core/index.js';
import { Budget, FormatError, UnknownIn } from '../../../core/index.js';
import { ByteColumn, IntegerColumn } from './columns.js';
import { bytesTag, fieldNames, ProfileField, ValueTypeField, varintTag, WireType } from './fields.js';
import { FunctionDecoder } from './function-decoder.js';
import { LocationDecoder } from './location-decoder.js';
import { MappingDecoder } from './mapping-decoder.js';
import { SampleDecoder } from './sample-decoder.js';
import { checkStringRows } from './string-rows.js';
import { UnknownCollector } from './unknown.js';
import { WireReader } from './wire-reader.js';

/** A field of the profile has to stand in memory whole; none that is within the other limits is larger. */
const MAX_FIELD_BYTES = 16 * 2 ** 20;

/** Fields 1 to 6 are the tables. */
const LAST_ROW_TAG = bytesTag(ProfileField.stringTable);

type Bytes = Uint8Array;

/** Header fields while they come. */
class Header {
  periodType: ValueType | undefined = undefined;
  dropFrames = 0;
  keepFrames = 0;
  timeNanos = 0n;
  durationNanos = 0n;
  period = 0n;
  defaultSampleType = 0;
  docUrl = 0;
}

/** Reads one profile at a time: after `finish` it is ready for the next, with the memory that it has; after an error it is not. */
export class ProfileDecoder {
  readonly limits: Limits;
  readonly #budget: Budget;
  readonly #reader = new WireReader(new Uint8Array(0));
  readonly #unknown = new UnknownCollector();
  readonly #samples: SampleDecoder;
  readonly #mappings = new MappingDecoder(this.#reader, this.#unknown);
  readonly #locations: LocationDecoder;
  readonly #functions = new FunctionDecoder(this.#reader, this.#unknown);
  readonly #stringBytes = new ByteColumn();
  readonly #stringStarts = new IntegerColumn();
  readonly #comments = new IntegerColumn();
  #sampleTypes: ValueType[] = [];
  #header = new Header();
  /** Pieces of a field that is not whole yet, their size, and the size that it takes to go on. */
  #pending: Bytes[] = [];
  #pendingBytes = 0;
  #wantedBytes = 0;
  /** Offset in the decompressed input of the first pending byte, or else of the next piece. */
  #offset = 0;

  constructor(limits: Limits) {
    this.limits = limits;
    this.#budget = new Budget(limits);
    this.#samples = new SampleDecoder(this.#reader, this.#unknown, this.#budget);
    this.#locations = new LocationDecoder(this.#reader, this.#unknown, this.#budget);
  }

  get unknownFields(): number {
    return this.#unknown.length;
  }

  get hasNegativeValues(): boolean {
    return this.#samples.hasNegativeValues;
  }

  /** Takes the next bytes; keeps none of their memory. @throws FormatError */
  push(piece: Bytes): void {
    if (this.#pendingBytes === 0) {
      this.#consume(piece, false);
      return;
    }
    this.#pending.push(piece.slice());
    this.#pendingBytes += piece.length;
    if (this.#pendingBytes >= this.#wantedBytes) this.#consume(this.#joinPending(), false);
  }

  /** There are no more bytes: what is pending is all that there will be. @throws FormatError */
  end(): void {
    if (this.#pendingBytes > 0) this.#consume(this.#joinPending(), true);
  }

  #joinPending(): Bytes {
    const joined = new Uint8Array(this.#pendingBytes);
    let at = 0;
    for (const part of this.#pending) {
      joined.set(part, at);
      at += part.length;
    }
    return joined;
  }

  #consume(bytes: Bytes, last: boolean): void {
    const reader = this.#reader;
    reader.attach(bytes, this.#offset);
    let start = 0;
    try {
      while (start < bytes.length) {
        const end = this.#shortRow(bytes, start);
        if (end > 0) {
          start = end;
          continue;
        }
        if (!last) {
          const end = fieldEnd(bytes, start);
          if (end > bytes.length) {
            this.#checkFieldSize(end - start, start);
            this.#wantedBytes = end - start;
            break;
          }
        }
        reader.pos = start;
        reader.len = bytes.length;
        this.#field(start);
        start = reader.pos;
      }
    } catch (error) {
      throw reader.asFormatError(error);
    }
    this.#offset += start;
    this.#pending = start < bytes.length ? [bytes.slice(start)] : [];
    this.#pendingBytes = bytes.length - start;
  }

  /**
   * The field at `start` if it is a table's row, whole, and of a length below 2^21: the short way for nearly all fields.
   * @returns its end; 0 when it has to go the long way
   */
  #shortRow(bytes: Bytes, start: number): number {
    const tag = bytes[start]!;
    if (tag > LAST_ROW_TAG || (tag & 7) !== WireType.bytes || start + 4 > bytes.length) return 0;
    let at = start + 2;
    let length = bytes[start + 1]!;
    if (length >= 128) {
      const second = bytes[at++]!;
      length = (length & 127) | ((second & 127) << 7);
      if (second >= 128) {
        const third = bytes[at++]!;
        if (third >= 128) return 0;
        length |= third << 14;
      }
    }
    const end = at + length;
    if (end > bytes.length) return 0;
    this.#reader.pos = at;
    this.#row(tag >>> 3, end);
    return end;
  }

  /** A row of the table that has a field number: the reader stands at its start. */
  #row(field: number, end: number): void {
    this.#reader.len = end;
    switch (field) {
      case ProfileField.sample:
        this.#enter('Profile.sample', this.#samples.length);
        this.#samples.decode();
        return;
      case ProfileField.location:
        this.#enter('Profile.location', this.#locations.ids.length);
        this.#locations.decode();
        return;
      case ProfileField.stringTable:
        this.#enter('Profile.string_table', this.#stringStarts.length);
        this.#string(end);
        return;
      case ProfileField.function:
        this.#enter('Profile.function', this.#functions.ids.length);
        this.#functions.decode();
        return;
      case ProfileField.mapping:
        this.#enter('Profile.mapping', this.#mappings.ids.length);
        this.#mappings.decode();
        return;
      case ProfileField.sampleType:
        this.#enter('Profile.sample_type', this.#sampleTypes.length);
        this.#sampleTypes.push(this.#valueType({ type: 0, unit: 0 }, UnknownIn.valueType, this.#sampleTypes.length));
    }
  }

  #enter(message: string, row: number): void {
    const reader = this.#reader;
    reader.message = message;
    reader.row = row;
    if (row >= this.limits.tableRows) {
      this.#budget.check('tableRows', row + 1, { section: message, offset: reader.base + reader.pos });
    }
  }

  #checkFieldSize(size: number, start: number): void {
    if (size <= MAX_FIELD_BYTES) return;
    const place = { section: 'Profile', offset: this.#offset + start, got: size, limit: MAX_FIELD_BYTES };
    throw new FormatError('E_LENGTH', 'one field is too large', place);
  }

  /** One field of the Profile, from its tag at `start`; leaves the reader behind it. */
  #field(start: number): void {
    const reader = this.#reader;
    const header = this.#header;
    reader.message = 'Profile';
    reader.row = -1;
    const tag = reader.next();
    const field = tag >>> 3;
    if ((tag & 7) === WireType.bytes && field > 0 && field <= ProfileField.stringTable) {
      const end = reader.pos + reader.lo;
      this.#row(field, end);
      reader.pos = end;
      return;
    }
    switch (tag) {
      case bytesTag(ProfileField.periodType):
        reader.len = reader.pos + reader.lo;
        reader.message = 'Profile.period_type';
        header.periodType = this.#valueType(header.periodType ?? { type: 0, unit: 0 }, UnknownIn.periodType, 0);
        break;
      case varintTag(ProfileField.comment):
        this.#comments.push(reader.stringRow('comment'));
        break;
      case bytesTag(ProfileField.comment):
        this.#packedComments();
        break;
      case varintTag(ProfileField.timeNanos):
        // google/pprof takes a second time as the sign that two profiles were written one behind the other.
        if (header.timeNanos !== 0n) {
          throw reader.fail('E_CONCATENATED', 'a second time: two profiles in one input', { field: 'time_nanos' });
        }
        header.timeNanos = reader.signed();
        break;
      case varintTag(ProfileField.durationNanos):
        header.durationNanos = reader.signed();
        break;
      case varintTag(ProfileField.period):
        header.period = reader.signed();
        break;
      case varintTag(ProfileField.dropFrames):
        header.dropFrames = reader.stringRow('drop_frames');
        break;
      case varintTag(ProfileField.keepFrames):
        header.keepFrames = reader.stringRow('keep_frames');
        break;
      case varintTag(ProfileField.defaultSampleType):
        header.defaultSampleType = reader.stringRow('default_sample_type');
        break;
      case varintTag(ProfileField.docUrl):
        header.docUrl = reader.stringRow('doc_url');
        break;
      default:
        reader.skipField(tag, fieldNames.profile);
        this.#unknown.add(UnknownIn.profile, 0, reader.buf, start, reader.pos);
    }
  }

  #packedComments(): void {
    const reader = this.#reader;
    reader.len = reader.pos + reader.lo;
    while (reader.pos < reader.len) {
      reader.varint64();
      this.#comments.push(reader.stringRow('comment'));
    }
    this.#budget.check('tableRows', this.#comments.length, { section: 'Profile.comment' });
  }

  #string(end: number): void {
    const reader = this.#reader;
    const length = end - reader.pos;
    if (length > this.limits.stringBytes) {
      const place = { section: `Profile.string_table[${reader.row}]`, offset: reader.base + reader.pos };
      this.#budget.check('stringBytes', length, place);
    }
    if (reader.row === 0 && length > 0) throw reader.fail('E_STRING_TABLE', 'string 0 is not empty', { got: length });
    this.#stringStarts.push(this.#stringBytes.length);
    this.#stringBytes.append(reader.buf, reader.words, reader.pos, end);
  }

  #valueType(base: ValueType, message: number, row: number): ValueType {
    const reader = this.#reader;
    let { type, unit } = base;
    while (reader.pos < reader.len) {
      const start = reader.pos;
      const tag = reader.next();
      switch (tag) {
        case varintTag(ValueTypeField.type):
          type = reader.stringRow('type');
          break;
        case varintTag(ValueTypeField.unit):
          unit = reader.stringRow('unit');
          break;
        default:
          reader.skipField(tag, fieldNames.valueType);
          this.#unknown.add(message, row, reader.buf, start, reader.pos);
      }
    }
    return { type, unit };
  }

  /** @throws FormatError when what was read is no valid profile */
  finish(): Profile {
    this.#mappings.ids.index();
    this.#locations.ids.index();
    this.#functions.ids.index();
    const samples = this.#samples.finish(this.#sampleTypes.length, this.#locations.ids);
    const locations = this.#locations.finish(this.#mappings.ids, this.#functions.ids);
    const profile: Profile = {
      strings: this.#strings(),
      sampleTypes: this.#sampleTypes,
      samples,
      locations,
      functions: this.#functions.finish(),
      mappings: this.#mappings.finish(),
      ...this.#header,
      comments: this.#comments.finish(),
      unknown: this.#unknown.finish(),
    };
    checkStringRows(profile);
    this.#sampleTypes = [];
    this.#header = new Header();
    this.#offset = 0;
    return profile;
  }

  #strings(): StringTable {
    const { length } = this.#stringStarts;
    if (length === 0) throw new FormatError('E_STRING_TABLE', 'no string table', { section: 'Profile.string_table' });
    this.#stringStarts.push(this.#stringBytes.length);
    return { length, bytes: this.#stringBytes.finish(), starts: this.#stringStarts.finish() };
  }
}

/**
 * Where the field at `start` ends, without looking into it: beyond the bytes when they do not hold it whole (then maybe not its
 * real end yet). Malformed ones end somewhere within: reading them gives the error.
 */
function fieldEnd(bytes: Bytes, start: number): number {
  const { length } = bytes;
  let at = start + 1;
  let byte = bytes[start]!;
  const wireType = byte & 7;
  for (; byte >= 128 && at < start + 10; at++) {
    if (at >= length) return length + 1;
    byte = bytes[at]!;
  }
  if (wireType === WireType.fixed64) return at + 8;
  if (wireType === WireType.fixed32) return at + 4;
  if (wireType !== WireType.varint && wireType !== WireType.bytes) return at;
  let value = 0;
  for (let scale = 1; ; scale *= 128, at++) {
    if (at >= length) return length + 1;
    byte = bytes[at]!;
    value += (byte & 127) * scale;
    if (byte < 128 || scale > 2 ** 60) break;
  }
  return wireType === WireType.varint ? at + 1 : at + 1 + value;
}
