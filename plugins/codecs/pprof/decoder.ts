/**
 * Bytes of a profile.proto message, in pieces as they come, into columns.
 *
 * Tables may come in any order, and a row before what it refers to (Go's runtime writes mappings and strings last), so rows keep
 * ids and string indexes as they are, and `finish` resolves and checks them all. WebAssembly reads the tables (row-kernel.ts).
 *
 * Source: github.com/google/pprof proto/profile.proto. What google/pprof's Parse refuses is refused here too; differences: a second
 * period_type is merged, as protobuf has it, and numbers of more than 64 bits are refused.
 */
import type { Limits, Profile, SampleTable } from '../../../core/index.js';
import { Budget, FormatError } from '../../../core/index.js';
import { LENT_BYTES } from './columns.js';
import { bytesTag, ProfileField, WireType } from './fields.js';
import { FunctionDecoder } from './function-decoder.js';
import { HeaderDecoder } from './header-decoder.js';
import { LocationDecoder } from './location-decoder.js';
import { MappingDecoder } from './mapping-decoder.js';
import { RowKernel, type WantedRows } from './row-kernel.js';
import { SampleDecoder } from './sample-decoder.js';
import { StringDecoder } from './string-decoder.js';
import { checkStringRows } from './string-rows.js';
import { UnknownCollector } from './unknown.js';
import { WireReader } from './wire-reader.js';

/** A field of the profile has to stand in memory whole; none that is within the other limits is larger. */
const MAX_FIELD_BYTES = 16 * 2 ** 20;

/** Reads one profile at a time; after `clear` it is ready for the next, with the memory that it has. */
export class ProfileDecoder {
  readonly limits: Limits;
  readonly #reader = new WireReader(new Uint8Array(0));
  readonly #unknown = new UnknownCollector();
  readonly #kernel: RowKernel;
  readonly #header: HeaderDecoder;
  readonly #samples: SampleDecoder;
  readonly #mappings: MappingDecoder;
  readonly #locations: LocationDecoder;
  readonly #functions: FunctionDecoder;
  readonly #strings: StringDecoder;

  /** @param wanted of what else is there, rows are only counted and checked, as far as they can be by themselves */
  constructor(limits: Limits, wanted: WantedRows = 'all') {
    this.limits = limits;
    this.#kernel = new RowKernel(limits, this.#unknown, wanted);
    this.#header = new HeaderDecoder(this.#reader, this.#unknown, new Budget(limits));
    this.#samples = new SampleDecoder(this.#kernel);
    this.#mappings = new MappingDecoder(this.#kernel);
    this.#locations = new LocationDecoder(this.#kernel);
    this.#functions = new FunctionDecoder(this.#kernel);
    this.#strings = new StringDecoder(this.#kernel);
  }

  get unknownFields(): number {
    return this.#unknown.length;
  }

  get labelsOfBothKinds(): number {
    return this.#samples.labelsOfBothKinds;
  }

  get hasNegativeValues(): boolean {
    return this.#kernel.hasNegativeValues;
  }

  /** Whether it has much more memory than most profiles need. */
  get isLarge(): boolean {
    return this.#kernel.isLarge;
  }

  /** Takes the next bytes; keeps none of their memory. @throws FormatError */
  push(piece: Uint8Array): void {
    let rest = piece;
    while (rest.length > 0) {
      rest = rest.subarray(this.#kernel.fill(rest));
      if (this.#kernel.isFull) this.#consume(false);
    }
  }

  /** Reads what came so far, up to a field that is not whole. @throws FormatError */
  catchUp(): void {
    this.#consume(false);
  }

  /** There are no more bytes: those that came are all that there will be. @throws FormatError */
  end(): void {
    this.#consume(true);
  }

  /** Reads the fields that are there whole. @param last whether no more bytes come */
  #consume(last: boolean): void {
    const kernel = this.#kernel;
    const { length } = kernel;
    let at = 0;
    for (;;) {
      at = kernel.addRows(at);
      if (at === length) break;
      const size = fieldEnd(kernel.input, at, length) - at;
      if (!last && at + size > length) {
        this.#checkFieldSize(size, at);
        break;
      }
      at = this.#field(at);
    }
    kernel.take(at);
  }

  #checkFieldSize(size: number, start: number): void {
    if (size <= MAX_FIELD_BYTES) return;
    const place = { section: 'Profile', offset: this.#kernel.offset + start, got: size, limit: MAX_FIELD_BYTES };
    throw new FormatError('E_LENGTH', 'one field is too large', place);
  }

  /** Any field, from its tag at `start`. @returns its end */
  #field(start: number): number {
    const kernel = this.#kernel;
    const reader = this.#reader;
    reader.attach(kernel.input.subarray(0, kernel.length), kernel.offset, start);
    try {
      const tag = reader.next();
      const end = reader.pos + reader.lo;
      if (kernel.addRow(tag, reader.pos, end)) return end;
      if (tag === bytesTag(ProfileField.sampleType)) {
        this.#header.decodeSampleType(reader.pos, end);
        return end;
      }
      this.#header.decodeField(tag, start);
    } catch (error) {
      throw reader.asFormatError(error);
    }
    return reader.pos;
  }

  /**
   * @param isLent the profile's columns may be the decoder's own, which the next profile is written over
   * @throws FormatError when what was read is no valid profile
   */
  finish(isLent: boolean): Profile {
    this.#kernel.loan.mostBytes = isLent ? LENT_BYTES : 0;
    this.#mappings.ids.index();
    this.#locations.ids.index();
    this.#functions.ids.index();
    this.#samples.checkCounts(this.#header.sampleTypes);
    const samples = this.#samples.finish(this.#locations.ids);
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
    checkStringRows(profile, this.#kernel.maxString);
    return profile;
  }

  /** Bytes of the samples that were read since they were taken. */
  get sampleBytes(): number {
    return this.#samples.bytes;
  }

  /** Whether a sample or a table has a string that the table of strings has not. To be asked when there are no more bytes. */
  hasStringsBeyond(strings: number): boolean {
    return this.#kernel.maxString >= strings;
  }

  /**
   * The samples that came since the last were taken.
   * @param tables of the same profile, finished: what the samples refer to
   * @returns them, in memory that those which follow are written over
   * @throws FormatError E_DANGLING
   */
  takeSamples(tables: ProfileDecoder): SampleTable {
    this.#kernel.loan.mostBytes = Number.POSITIVE_INFINITY;
    return this.#samples.finish(tables.#locations.ids);
  }

  clear(): void {
    this.#kernel.clear();
    this.#samples.clear();
    this.#header.clear();
    this.#unknown.clear();
  }
}

/**
 * Where the field at `start` ends, without looking into it: beyond `length` when the bytes up to there do not hold it whole (then
 * maybe not its real end yet). Malformed ones end somewhere within: reading them gives the error.
 */
function fieldEnd(bytes: Uint8Array, start: number, length: number): number {
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
