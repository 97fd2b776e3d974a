/**
 * Bytes of a profile.proto message, in pieces as they come, into columns.
 *
 * Tables may come in any order, and a row before what it refers to (Go's runtime writes mappings and strings last), so rows keep
 * ids and string indexes as they are, and `finish` resolves and checks them all. Only a field that straddles two pieces is copied.
 *
 * Source: github.com/google/pprof proto/profile.proto. What google/pprof's Parse refuses is refused here too; differences: a second
 * period_type is merged, as protobuf has it, and numbers of more than 64 bits are refused.
 */
import type { Budget, Profile, StringTable, ValueType } from '../../../core/index.js';
import { FormatError, UnknownIn } from '../../../core/index.js';
import { ByteColumn, IntegerColumn } from './columns.js';
import { ProfileField, ValueTypeField, WireType } from './fields.js';
import { FunctionDecoder } from './function-decoder.js';
import { LocationDecoder } from './location-decoder.js';
import { MappingDecoder } from './mapping-decoder.js';
import { SampleDecoder } from './sample-decoder.js';
import { checkStringRows } from './string-rows.js';
import { UnknownCollector } from './unknown.js';
import { WireReader } from './wire-reader.js';

/** A field of the profile has to stand in memory whole; none that is within the other limits is larger. */
const MAX_FIELD_BYTES = 16 * 2 ** 20;

type Bytes = Uint8Array;

/** Header fields while they come. */
interface Header {
  dropFrames: number;
  keepFrames: number;
  timeNanos: bigint;
  durationNanos: bigint;
  period: bigint;
  defaultSampleType: number;
  docUrl: number;
}

export class ProfileDecoder {
  readonly #reader = new WireReader(new Uint8Array(0));
  readonly #unknown = new UnknownCollector();
  readonly #budget: Budget;
  readonly #samples: SampleDecoder;
  readonly #mappings = new MappingDecoder(this.#reader, this.#unknown);
  readonly #locations: LocationDecoder;
  readonly #functions = new FunctionDecoder(this.#reader, this.#unknown);
  readonly #sampleTypes: ValueType[] = [];
  #periodType: ValueType | undefined;
  readonly #stringBytes = new ByteColumn();
  readonly #stringStarts = new IntegerColumn();
  readonly #comments = new IntegerColumn();
  readonly #header: Header = {
    dropFrames: 0,
    keepFrames: 0,
    timeNanos: 0n,
    durationNanos: 0n,
    period: 0n,
    defaultSampleType: 0,
    docUrl: 0,
  };
  /** Pieces of a field that is not whole yet, their size, and the size that it takes to go on. */
  #pending: Bytes[] = [];
  #pendingBytes = 0;
  #wantedBytes = 0;
  /** Offset in the decompressed input of the first pending byte, or else of the next piece. */
  #offset = 0;

  constructor(budget: Budget) {
    this.#budget = budget;
    this.#samples = new SampleDecoder(this.#reader, this.#unknown, budget);
    this.#locations = new LocationDecoder(this.#reader, this.#unknown, budget);
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
        if (!last) {
          const end = fieldEnd(bytes, start);
          if (end > bytes.length) {
            this.#checkFieldSize(end - start, start);
            this.#wantedBytes = end - start;
            break;
          }
        }
        this.#field(start);
        start = reader.pos;
        reader.len = bytes.length;
      }
    } catch (error) {
      throw reader.asFormatError(error);
    }
    this.#offset += start;
    this.#pending = start < bytes.length ? [bytes.slice(start)] : [];
    this.#pendingBytes = bytes.length - start;
  }

  #checkFieldSize(size: number, start: number): void {
    if (size <= MAX_FIELD_BYTES) return;
    const place = { section: 'Profile', offset: this.#offset + start, got: size, limit: MAX_FIELD_BYTES };
    throw new FormatError('E_LENGTH', 'one field is too large', place);
  }

  /** One field of the Profile, from its tag at `start`; leaves the reader behind it. */
  #field(start: number): void {
    const reader = this.#reader;
    reader.message = 'Profile';
    reader.row = -1;
    const tag = reader.tag();
    switch (tag >>> 3) {
      case ProfileField.sample:
        this.#enter(tag, 'sample', this.#samples.length);
        this.#samples.decode();
        return;
      case ProfileField.location:
        this.#enter(tag, 'location', this.#locations.ids.length);
        this.#locations.decode();
        return;
      case ProfileField.function:
        this.#enter(tag, 'function', this.#functions.ids.length);
        this.#functions.decode();
        return;
      case ProfileField.mapping:
        this.#enter(tag, 'mapping', this.#mappings.ids.length);
        this.#mappings.decode();
        return;
      case ProfileField.stringTable:
        this.#string(tag);
        return;
      case ProfileField.sampleType:
        this.#enter(tag, 'sample_type', this.#sampleTypes.length);
        this.#sampleTypes.push(this.#valueType({ type: 0, unit: 0 }, UnknownIn.valueType, this.#sampleTypes.length));
        return;
      case ProfileField.periodType:
        this.#enter(tag, 'period_type', -1);
        this.#periodType = this.#valueType(this.#periodType ?? { type: 0, unit: 0 }, UnknownIn.periodType, 0);
        return;
      case ProfileField.comment:
        this.#comment(tag);
        return;
      case ProfileField.timeNanos:
        this.#time(tag);
        return;
      case ProfileField.durationNanos:
        this.#header.durationNanos = this.#number(tag, 'duration_nanos');
        return;
      case ProfileField.period:
        this.#header.period = this.#number(tag, 'period');
        return;
      case ProfileField.dropFrames:
        this.#header.dropFrames = this.#stringRow(tag, 'drop_frames');
        return;
      case ProfileField.keepFrames:
        this.#header.keepFrames = this.#stringRow(tag, 'keep_frames');
        return;
      case ProfileField.defaultSampleType:
        this.#header.defaultSampleType = this.#stringRow(tag, 'default_sample_type');
        return;
      case ProfileField.docUrl:
        this.#header.docUrl = this.#stringRow(tag, 'doc_url');
        return;
      default:
        reader.skipField(tag);
        this.#unknown.add(UnknownIn.profile, 0, reader.buf, start, reader.pos);
    }
  }

  /** Goes into a nested message: its end becomes the reader's. */
  #enter(tag: number, field: string, row: number): void {
    const reader = this.#reader;
    reader.expect(tag, WireType.bytes, field);
    const end = reader.lengthEnd();
    reader.len = end;
    reader.message = `Profile.${field}`;
    reader.row = row;
    if (row >= this.#budget.limits.tableRows) {
      this.#budget.check('tableRows', row + 1, { section: reader.message, offset: reader.base + reader.pos });
    }
  }

  #number(tag: number, field: string): bigint {
    this.#reader.expect(tag, WireType.varint, field);
    this.#reader.varint64();
    return this.#reader.signed();
  }

  #stringRow(tag: number, field: string): number {
    this.#reader.expect(tag, WireType.varint, field);
    return this.#reader.stringIndex(field);
  }

  #string(tag: number): void {
    const reader = this.#reader;
    reader.expect(tag, WireType.bytes, 'string_table');
    const end = reader.lengthEnd();
    const length = end - reader.pos;
    const row = this.#stringStarts.length;
    const { stringBytes, tableRows } = this.#budget.limits;
    if (length > stringBytes || row >= tableRows) {
      const place = { section: `Profile.string_table[${row}]`, offset: reader.base + reader.pos };
      this.#budget.check('stringBytes', length, place);
      this.#budget.check('tableRows', row + 1, place);
    }
    if (row === 0 && length > 0)
      throw reader.fail('E_STRING_TABLE', 'string 0 is not empty', { field: 'string_table', got: length });
    this.#stringStarts.push(this.#stringBytes.length);
    this.#stringBytes.append(reader.buf, reader.pos, end);
    reader.pos = end;
  }

  #valueType(base: ValueType, message: number, row: number): ValueType {
    const reader = this.#reader;
    let { type, unit } = base;
    while (reader.pos < reader.len) {
      const start = reader.pos;
      const tag = reader.tag();
      switch (tag >>> 3) {
        case ValueTypeField.type:
          type = this.#stringRow(tag, 'type');
          break;
        case ValueTypeField.unit:
          unit = this.#stringRow(tag, 'unit');
          break;
        default:
          reader.skipField(tag);
          this.#unknown.add(message, row, reader.buf, start, reader.pos);
      }
    }
    return { type, unit };
  }

  #comment(tag: number): void {
    const reader = this.#reader;
    if ((tag & 7) === WireType.bytes) {
      reader.len = reader.lengthEnd();
      while (reader.pos < reader.len) this.#comments.push(reader.stringIndex('comment'));
    } else {
      this.#comments.push(this.#stringRow(tag, 'comment'));
    }
    this.#budget.check('tableRows', this.#comments.length, { section: 'Profile.comment' });
  }

  /** google/pprof takes a second time as the sign that two profiles were written one behind the other. */
  #time(tag: number): void {
    if (this.#header.timeNanos !== 0n) {
      throw this.#reader.fail('E_CONCATENATED', 'a second time_nanos: two profiles in one input', {
        field: 'time_nanos',
      });
    }
    this.#header.timeNanos = this.#number(tag, 'time_nanos');
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
      periodType: this.#periodType,
      ...this.#header,
      comments: this.#comments.finish(),
      unknown: this.#unknown.finish(),
    };
    checkStringRows(profile);
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
