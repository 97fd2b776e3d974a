/** The fields of a profile that are no table, and the messages ValueType. */
import type { Budget, ValueType } from '../../../core/index.js';
import { UnknownIn } from '../../../core/index.js';
import { Column } from './columns.js';
import { bytesTag, fieldNames, ProfileField, ValueTypeField, varintTag } from './fields.js';
import type { UnknownCollector } from './unknown.js';
import type { WireReader } from './wire-reader.js';

/** As in Profile. */
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

export class HeaderDecoder {
  readonly #reader: WireReader;
  readonly #unknown: UnknownCollector;
  readonly #budget: Budget;
  readonly #comments = new Column(Uint32Array);
  #sampleTypes: ValueType[] = [];
  #header = new Header();

  constructor(reader: WireReader, unknown: UnknownCollector, budget: Budget) {
    this.#reader = reader;
    this.#unknown = unknown;
    this.#budget = budget;
  }

  get sampleTypes(): number {
    return this.#sampleTypes.length;
  }

  /** The sample type in the reader's bytes from `start` to `end`. @throws FormatError */
  decodeSampleType(start: number, end: number): void {
    const row = this.#sampleTypes.length;
    const section = 'Profile.sample_type';
    this.#budget.check('tableRows', row + 1, { section, offset: this.#reader.base + start });
    this.#sampleTypes.push(this.#valueType(section, { type: 0, unit: 0 }, UnknownIn.valueType, row, start, end));
  }

  /**
   * A field that is no row of a table.
   * @param start of the field; the reader is behind what `next` read of it, and behind the field afterwards
   * @throws FormatError
   */
  decodeField(tag: number, start: number): void {
    const reader = this.#reader;
    const header = this.#header;
    switch (tag) {
      case bytesTag(ProfileField.periodType): {
        const base = header.periodType ?? { type: 0, unit: 0 };
        const end = reader.pos + reader.lo;
        header.periodType = this.#valueType('Profile.period_type', base, UnknownIn.periodType, -1, reader.pos, end);
        break;
      }
      case varintTag(ProfileField.comment):
        this.#comment();
        break;
      case bytesTag(ProfileField.comment):
        reader.len = reader.pos + reader.lo;
        while (reader.pos < reader.len) {
          reader.varint64();
          this.#comment();
        }
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
        this.#unknown.add(UnknownIn.profile, 0, reader.buf.subarray(start, reader.pos));
    }
  }

  #comment(): void {
    const count = this.#comments.length + 1;
    this.#budget.check('tableRows', count, { section: 'Profile.comment' });
    this.#comments.push(this.#reader.stringRow('comment'));
  }

  /** @param row in its table; −1 when there is one only */
  #valueType(section: string, base: ValueType, message: number, row: number, start: number, end: number): ValueType {
    const reader = this.#reader;
    reader.message = section;
    reader.row = row;
    reader.pos = start;
    reader.len = end;
    let { type, unit } = base;
    while (reader.pos < end) {
      const fieldStart = reader.pos;
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
          this.#unknown.add(message, Math.max(row, 0), reader.buf.subarray(fieldStart, reader.pos));
      }
    }
    return { type, unit };
  }

  finish(): Header & { readonly sampleTypes: readonly ValueType[]; readonly comments: Uint32Array } {
    return { ...this.#header, sampleTypes: this.#sampleTypes, comments: this.#comments.finish() };
  }

  clear(): void {
    this.#header = new Header();
    this.#sampleTypes = [];
    this.#comments.clear();
  }
}
