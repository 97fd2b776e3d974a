/**
 * Bytes of a profile.proto message, in pieces as they come, into columns.
 *
 * Tables may come in any order, and a row before what it refers to (Go's runtime writes mappings and strings last), so rows keep
 * ids and string indexes as they are, and `finish` resolves and checks them all. Only what is near the end of a piece is copied.
 *
 * Source: github.com/google/pprof proto/profile.proto. What google/pprof's Parse refuses is refused here too; differences: a second
 * period_type is merged, as protobuf has it, and numbers of more than 64 bits are refused.
 */
import type { Limits, Profile } from '../../../core/index.js';
import { Budget, FormatError } from '../../../core/index.js';
import { bytesTag, ProfileField, WireType } from './fields.js';
import { FunctionDecoder } from './function-decoder.js';
import { HeaderDecoder } from './header-decoder.js';
import { LocationDecoder } from './location-decoder.js';
import { MappingDecoder } from './mapping-decoder.js';
import { SampleDecoder } from './sample-decoder.js';
import { StringDecoder } from './string-decoder.js';
import { checkStringRows } from './string-rows.js';
import { UnknownCollector } from './unknown.js';
import { SLACK_BYTES, WireReader } from './wire-reader.js';
import { bytesTo, endBit, sevens } from './words.js';

/** A field of the profile has to stand in memory whole; none that is within the other limits is larger. */
const MAX_FIELD_BYTES = 16 * 2 ** 20;
/** Of a new piece, that much at least is put behind what the last one left. */
const JOINED_BYTES = 4096;

type Bytes = Uint8Array;

/** Reads one profile at a time: after `finish` it is ready for the next, with the memory that it has; after an error it is not. */
export class ProfileDecoder {
  readonly limits: Limits;
  readonly #reader = new WireReader(new Uint8Array(0));
  readonly #unknown = new UnknownCollector();
  readonly #header: HeaderDecoder;
  readonly #samples: SampleDecoder;
  readonly #mappings: MappingDecoder;
  readonly #locations: LocationDecoder;
  readonly #functions: FunctionDecoder;
  readonly #strings: StringDecoder;
  /** The end of what came, that a field goes on behind; and the size from which on it is worth another look. */
  #pending: Bytes = new Uint8Array(0);
  #wantedBytes = 0;
  /** Offset in the decompressed input of the first pending byte, or else of the next piece. */
  #offset = 0;

  constructor(limits: Limits) {
    this.limits = limits;
    const budget = new Budget(limits);
    this.#header = new HeaderDecoder(this.#reader, this.#unknown, budget);
    this.#samples = new SampleDecoder(this.#reader, this.#unknown, budget);
    this.#mappings = new MappingDecoder(this.#reader, this.#unknown, budget);
    this.#locations = new LocationDecoder(this.#reader, this.#unknown, budget);
    this.#functions = new FunctionDecoder(this.#reader, this.#unknown, budget);
    this.#strings = new StringDecoder(this.#reader, budget);
  }

  get unknownFields(): number {
    return this.#unknown.length;
  }

  get hasNegativeValues(): boolean {
    return this.#samples.hasNegativeValues;
  }

  /** Takes the next bytes; keeps none of their memory. @throws FormatError */
  push(piece: Bytes): void {
    let rest = piece;
    while (this.#pending.length > 0) {
      const pending = this.#pending;
      const missing = this.#wantedBytes - pending.length;
      const joined = padded(pending, rest.subarray(0, Math.max(missing, JOINED_BYTES)));
      const joinedBytes = joined.length - SLACK_BYTES;
      const used = missing > rest.length ? 0 : this.#consume(joined, false);
      if (used >= pending.length) {
        rest = rest.subarray(used - pending.length);
        this.#pending = rest.subarray(0, 0);
      } else {
        this.#pending = joined.subarray(used, joinedBytes);
        rest = rest.subarray(joinedBytes - pending.length);
        if (rest.length === 0) return;
      }
    }
    const used = rest.length > SLACK_BYTES ? this.#consume(rest, false) : 0;
    this.#pending = rest.slice(used);
  }

  /** There are no more bytes: what is pending is all that there will be. @throws FormatError */
  end(): void {
    this.#consume(padded(this.#pending, this.#pending.subarray(0, 0)), true);
    this.#pending = new Uint8Array(0);
  }

  /**
   * Reads the fields that end SLACK_BYTES or more before the end of `bytes`.
   * @param last whether what is before the slack is all that there will be
   * @returns where the first field starts that was not read
   */
  #consume(bytes: Bytes, last: boolean): number {
    const reader = this.#reader;
    reader.attach(bytes, this.#offset);
    const length = reader.len;
    const { words } = reader;
    let start = 0;
    try {
      while (start < length) {
        const word = words.getInt32(start + 1, true);
        const bit = endBit(word);
        const at = start + 1 + bytesTo(bit);
        const end = at + sevens(word & (bit - 1));
        if (bit !== 0 && end <= length && this.#row(bytes[start]!, at, end)) {
          start = end;
          continue;
        }
        if (!last) {
          const size = fieldEnd(bytes, start, length) - start;
          this.#wantedBytes = size + SLACK_BYTES;
          if (start + size > length) {
            this.#checkFieldSize(size, start);
            break;
          }
        }
        start = this.#field(start, length);
      }
    } catch (error) {
      throw reader.asFormatError(error);
    }
    this.#offset += start;
    return start;
  }

  /** Reads a field if it is a table's row. @param tag its first byte @returns whether it is */
  #row(tag: number, start: number, end: number): boolean {
    switch (tag) {
      case bytesTag(ProfileField.sample):
        this.#samples.decode(start, end);
        return true;
      case bytesTag(ProfileField.location):
        this.#locations.decode(start, end);
        return true;
      case bytesTag(ProfileField.stringTable):
        this.#strings.decode(start, end);
        return true;
      case bytesTag(ProfileField.function):
        this.#functions.decode(start, end);
        return true;
      case bytesTag(ProfileField.mapping):
        this.#mappings.decode(start, end);
        return true;
      case bytesTag(ProfileField.sampleType):
        this.#header.decodeSampleType(start, end);
        return true;
      default:
        return false;
    }
  }

  #checkFieldSize(size: number, start: number): void {
    if (size <= MAX_FIELD_BYTES) return;
    const place = { section: 'Profile', offset: this.#offset + start, got: size, limit: MAX_FIELD_BYTES };
    throw new FormatError('E_LENGTH', 'one field is too large', place);
  }

  /** Any field, from its tag at `start`. @returns its end */
  #field(start: number, length: number): number {
    const reader = this.#reader;
    reader.message = 'Profile';
    reader.row = -1;
    reader.pos = start;
    reader.len = length;
    const tag = reader.next();
    const end = reader.pos + reader.lo;
    if (this.#row(tag, reader.pos, end)) return end;
    this.#header.decodeField(tag, start);
    return reader.pos;
  }

  /** @throws FormatError when what was read is no valid profile */
  finish(): Profile {
    this.#mappings.ids.index();
    this.#locations.ids.index();
    this.#functions.ids.index();
    const samples = this.#samples.finish(this.#header.sampleTypes, this.#locations.ids);
    const locations = this.#locations.finish(this.#mappings.ids, this.#functions.ids);
    const profile: Profile = {
      strings: this.#strings.finish(),
      samples,
      locations,
      functions: this.#functions.finish(),
      mappings: this.#mappings.finish(),
      ...this.#header.finish(),
      unknown: this.#unknown.finish(),
    };
    checkStringRows(profile);
    this.#offset = 0;
    return profile;
  }
}

/** Bytes behind one another, and zeros to read over behind them. */
function padded(first: Bytes, second: Bytes): Bytes {
  const bytes = new Uint8Array(first.length + second.length + SLACK_BYTES);
  bytes.set(first);
  bytes.set(second, first.length);
  return bytes;
}

/**
 * Where the field at `start` ends, without looking into it: beyond `length` when the bytes up to there do not hold it whole (then
 * maybe not its real end yet). Malformed ones end somewhere within: reading them gives the error.
 */
function fieldEnd(bytes: Bytes, start: number, length: number): number {
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
