/** Messages Sample and Label: where nearly all bytes of a profile are. */
import type { Budget, LabelTable, SampleTable } from '../../../core/index.js';
import { FormatError, UnknownIn } from '../../../core/index.js';
import { IntegerColumn, WideColumn } from './columns.js';
import { LabelField, SampleField, WireType } from './fields.js';
import { type IdTable, ReferenceColumn, rowOf } from './ids.js';
import type { UnknownCollector } from './unknown.js';
import type { WireReader } from './wire-reader.js';

export class SampleDecoder {
  readonly #reader: WireReader;
  readonly #unknown: UnknownCollector;
  readonly #budget: Budget;
  readonly #stackStart = new IntegerColumn();
  readonly #stack = new ReferenceColumn();
  readonly #values = new WideColumn();
  readonly #labelStart = new IntegerColumn();
  readonly #labelKey = new IntegerColumn();
  readonly #labelStr = new IntegerColumn();
  readonly #labelNum = new WideColumn();
  readonly #labelUnit = new IntegerColumn();
  /** Number of values of the first sample, and the first sample with another number. */
  #valueCount = 0;
  #oddRow = -1;
  #oddCount = 0;
  /** The sign bits of all values, or-ed. */
  #signs = 0;

  constructor(reader: WireReader, unknown: UnknownCollector, budget: Budget) {
    this.#reader = reader;
    this.#unknown = unknown;
    this.#budget = budget;
  }

  get length(): number {
    return this.#stackStart.length;
  }

  get hasNegativeValues(): boolean {
    return this.#signs >>> 31 === 1;
  }

  /** One Sample: the reader stands at its start, and its `len` is its end. */
  decode(): void {
    const reader = this.#reader;
    const row = this.length;
    const stackStart = this.#stack.low.length;
    const valueStart = this.#values.length;
    const labelStart = this.#labelKey.length;
    this.#stackStart.push(stackStart);
    this.#labelStart.push(labelStart);
    const end = reader.len;
    while (reader.pos < end) {
      const start = reader.pos;
      const tag = reader.tag();
      switch (tag >>> 3) {
        case SampleField.locationId:
          if ((tag & 7) === WireType.bytes) this.#packedLocations(reader.lengthEnd());
          else {
            reader.expect(tag, WireType.varint, 'location_id');
            reader.varint64();
            this.#stack.push(reader.lo, reader.hi);
          }
          break;
        case SampleField.value:
          if ((tag & 7) === WireType.bytes) this.#packedValues(reader.lengthEnd());
          else {
            reader.expect(tag, WireType.varint, 'value');
            reader.varint64();
            this.#signs |= reader.hi;
            this.#values.push(reader.lo, reader.hi);
          }
          break;
        case SampleField.label:
          reader.expect(tag, WireType.bytes, 'label');
          reader.len = reader.lengthEnd();
          this.#label();
          reader.len = end;
          reader.message = 'Profile.sample';
          reader.row = row;
          break;
        default:
          reader.skipField(tag);
          this.#unknown.add(UnknownIn.sample, row, reader.buf, start, reader.pos);
      }
    }
    this.#checkCounts(row, this.#stack.low.length - stackStart, this.#values.length - valueStart, labelStart);
  }

  /**
   * Ids are read by hand, not by Reader.uint32: this loop sees most of the bytes, and that would drop the high bits of large ids.
   * One and two bytes are the ids below 16,384.
   */
  #packedLocations(end: number): void {
    const reader = this.#reader;
    const { buf } = reader;
    const column = this.#stack.low;
    column.reserve(end - reader.pos);
    const { data } = column;
    let { length } = column;
    let pos = reader.pos;
    while (pos < end) {
      const first = buf[pos]!;
      if (first < 128) {
        data[length++] = first;
        pos++;
        continue;
      }
      const second = buf[pos + 1]!;
      if (second < 128 && pos + 1 < end) {
        data[length++] = (first & 127) | (second << 7);
        pos += 2;
        continue;
      }
      reader.pos = pos;
      const { len } = reader;
      reader.len = end;
      reader.varint64();
      reader.len = len;
      pos = reader.pos;
      if (reader.hi !== 0) this.#stack.high.set(length, reader.hi);
      data[length++] = reader.lo;
    }
    column.length = length;
    reader.pos = end;
  }

  #packedValues(end: number): void {
    const reader = this.#reader;
    const column = this.#values;
    column.reserve(end - reader.pos);
    const { data } = column;
    const { len } = reader;
    reader.len = end;
    let { length } = column;
    while (reader.pos < end) {
      reader.varint64();
      data[2 * length] = reader.lo;
      data[2 * length + 1] = reader.hi;
      this.#signs |= reader.hi;
      length++;
    }
    reader.len = len;
    column.length = length;
  }

  #label(): void {
    const reader = this.#reader;
    const row = this.#labelKey.length;
    reader.message = 'Profile.sample.label';
    reader.row = row;
    if (row >= this.#budget.limits.tableRows) this.#budget.check('tableRows', row + 1, { section: reader.message });
    let key = 0;
    let str = 0;
    let numLo = 0;
    let numHi = 0;
    let unit = 0;
    while (reader.pos < reader.len) {
      const start = reader.pos;
      const tag = reader.tag();
      switch (tag >>> 3) {
        case LabelField.key:
          reader.expect(tag, WireType.varint, 'key');
          key = reader.stringIndex('key');
          break;
        case LabelField.str:
          reader.expect(tag, WireType.varint, 'str');
          str = reader.stringIndex('str');
          break;
        case LabelField.num:
          reader.expect(tag, WireType.varint, 'num');
          reader.varint64();
          numLo = reader.lo;
          numHi = reader.hi;
          break;
        case LabelField.numUnit:
          reader.expect(tag, WireType.varint, 'num_unit');
          unit = reader.stringIndex('num_unit');
          break;
        default:
          reader.skipField(tag);
          this.#unknown.add(UnknownIn.label, row, reader.buf, start, reader.pos);
      }
    }
    this.#labelKey.push(key);
    this.#labelStr.push(str);
    this.#labelNum.push(numLo, numHi);
    this.#labelUnit.push(unit);
  }

  #checkCounts(row: number, depth: number, values: number, labelStart: number): void {
    const { stackDepth, labelsPerSample } = this.#budget.limits;
    if (depth > stackDepth) this.#budget.check('stackDepth', depth, { section: `Profile.sample[${row}].location_id` });
    const labels = this.#labelKey.length - labelStart;
    if (labels > labelsPerSample) {
      this.#budget.check('labelsPerSample', labels, { section: `Profile.sample[${row}].label` });
    }
    if (row === 0) this.#valueCount = values;
    else if (values !== this.#valueCount && this.#oddRow < 0) {
      this.#oddRow = row;
      this.#oddCount = values;
    }
  }

  /** @throws FormatError E_SAMPLE_TYPES, E_VALUE_COUNT, E_DANGLING; string rows are left to the caller */
  finish(sampleTypes: number, locations: IdTable): SampleTable {
    const { length } = this;
    if (length > 0) {
      if (sampleTypes === 0)
        throw new FormatError('E_SAMPLE_TYPES', `${length} samples, but no sample types`, { section: 'Profile' });
      if (this.#valueCount !== sampleTypes) throw valueCount(0, this.#valueCount, sampleTypes);
      if (this.#oddRow >= 0) throw valueCount(this.#oddRow, this.#oddCount, sampleTypes);
    }
    this.#stackStart.push(this.#stack.low.length);
    this.#labelStart.push(this.#labelKey.length);
    const stackStart = this.#stackStart.finish();
    const stackLocations = locations.resolve(this.#stack, -1, (index, id) => {
      const row = rowOf(stackStart, index);
      const section = `Profile.sample[${row}].location_id[${index - stackStart[row]!}]`;
      return new FormatError('E_DANGLING', 'no location has this id', { section, got: id });
    });
    const labels: LabelTable = {
      length: this.#labelKey.length,
      key: this.#labelKey.finish(),
      str: this.#labelStr.finish(),
      num: this.#labelNum.finishSigned(),
      numUnit: this.#labelUnit.finish(),
    };
    return {
      length,
      stackStart,
      stackLocations,
      values: this.#values.finishSigned(),
      labelStart: this.#labelStart.finish(),
      labels,
    };
  }
}

function valueCount(row: number, got: number, want: number): FormatError {
  return new FormatError('E_VALUE_COUNT', `${got} values, profile has ${want} sample types`, {
    section: `Profile.sample[${row}]`,
    got,
    limit: want,
  });
}
